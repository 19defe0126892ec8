#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/gaussian.h"
#include "research/drift.h"

namespace pcgs::suite {
namespace {

constexpr SmoothLaw kLaws[] = {{0.12, 20}, {0.08, 120}, {0.5, 2}};

double covariance(const SmoothLaw& law, double lag) {
  return static_cast<double>(reference::matern_three_halves(law.amplitude, law.length, lag));
}

// [paths x rounds]
std::vector<std::vector<double>> draw(const SmoothLaw& law, std::size_t paths, std::size_t rounds) {
  Random random("smooth path", 3);
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < paths; ++i) {
    SmoothPath path(law, random);
    auto& values = all.emplace_back();
    for (std::size_t t = 0; t < rounds; ++t, path.advance(random)) values.push_back(path.value());
  }
  return all;
}

// The mean of x y over many independent paths, x and y jointly normal with mean 0, must be their
// covariance c to a few of its standard errors sqrt((v_x v_y + c^2) / n).
class Product {
 public:
  void add(double x, double y) {
    sum_ += x * y;
    ++count_;
  }
  void expect(double c, double v_x, double v_y, const char* what) const {
    constexpr double kStandardErrors = 4.5;
    EXPECT_NEAR(sum_ / count_, c, kStandardErrors * std::sqrt((v_x * v_y + c * c) / count_))
        << what;
  }

 private:
  double sum_ = 0;
  double count_ = 0;
};

TEST(SmoothPath, HasTheCovarianceOfItsDefinition) {
  for (const SmoothLaw& law : kLaws) {
    Product first, last, lag1, lag10, lag50, late1;
    for (const auto& f : draw(law, 20'000, 51)) {
      first.add(f[0], f[0]);
      last.add(f[50], f[50]);
      lag1.add(f[0], f[1]);
      lag10.add(f[0], f[10]);
      lag50.add(f[0], f[50]);
      late1.add(f[49], f[50]);
    }
    const double v = covariance(law, 0);
    EXPECT_DOUBLE_EQ(v, law.amplitude * law.amplitude);
    first.expect(v, v, v, "variance at the start");
    last.expect(v, v, v, "variance fifty rounds later");
    lag1.expect(covariance(law, 1), v, v, "lag 1");
    lag10.expect(covariance(law, 10), v, v, "lag 10");
    lag50.expect(covariance(law, 50), v, v, "lag 50");
    late1.expect(covariance(law, 1), v, v, "lag 1, late");
  }
}

// A rough path with nearly the same covariance would have far larger differences.
TEST(SmoothPath, DifferencesAreAsSmallAsThoseOfAFunctionWithADerivative) {
  for (const SmoothLaw& law : kLaws) {
    const double k0 = covariance(law, 0), k1 = covariance(law, 1), k2 = covariance(law, 2);
    Product slope, bend;
    for (const auto& f : draw(law, 20'000, 3)) {
      slope.add(f[1] - f[0], f[1] - f[0]);
      bend.add(f[2] - 2 * f[1] + f[0], f[2] - 2 * f[1] + f[0]);
    }
    const double slopes = 2 * (k0 - k1), bends = 6 * k0 - 8 * k1 + 2 * k2;
    slope.expect(slopes, slopes, slopes, "first differences");
    bend.expect(bends, bends, bends, "second differences");
  }
}

TEST(SmoothLaw, OneStepLeavesTheStationaryLawAsItIs) {
  for (const double length : {2.0, 5.0, 20.0, 120.0, 1e4, 1e6}) {
    const SmoothLaw law = {0.3, length};
    const auto [v, w] = law.stationary();
    const auto [a, q] = law.step();
    const double rate = std::sqrt(3.0) / length;
    EXPECT_DOUBLE_EQ(v, 0.09);
    EXPECT_NEAR(w, rate * rate * v, 1e-14 * w);  // minus the covariance's second derivative at 0
    // A P A' + Q = P, each entry beside the product of standard deviations that it is made of.
    EXPECT_NEAR(a[0] * a[0] * v + a[1] * a[1] * w + q[0], v, 1e-15 * v);
    EXPECT_NEAR(a[0] * a[2] * v + a[1] * a[3] * w + q[1], 0, 1e-15 * std::sqrt(v * w));
    EXPECT_NEAR(a[2] * a[2] * v + a[3] * a[3] * w + q[2], w, 1e-15 * w);
  }
}

TEST(SmoothLaw, StepsCarryTheCovarianceFunction) {
  for (const double length : {2.0, 20.0, 200.0}) {
    const SmoothLaw law = {0.3, length};
    const auto a = law.step().a;
    double value = law.stationary()[0], slope = 0;  // E f(0) x_t
    for (int lag = 0; lag <= 60; ++lag) {
      EXPECT_NEAR(value, covariance(law, lag), 1e-14) << length << " at " << lag;
      const double next = a[0] * value + a[1] * slope;
      slope = a[2] * value + a[3] * slope;
      value = next;
    }
  }
}

TEST(SmoothLaw, NoiseOfAStepIsACovariance) {
  for (const double length : {2.0, 20.0, 200.0, 1e4}) {
    const auto q = SmoothLaw{0.3, length}.step().q;
    EXPECT_GT(q[0], 0);
    EXPECT_GT(q[2], 0);
    EXPECT_GE(q[0] * q[2], q[1] * q[1]);
  }
}

}  // namespace
}  // namespace pcgs::suite
