// The kernels beside plain loops, at every length around those of registers.
#include "core/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/random.h"

namespace pcgs::kernels {
namespace {

constexpr std::size_t kLongest = 40;

std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
  test::Random random(seed);
  std::vector<double> x(count);
  for (double& one : x) one = random.uniform(-3, 3);
  return x;
}

TEST(Kernels, DotIsTheSumOfProducts) {
  for (std::size_t n = 1; n <= kLongest; ++n) {
    const auto a = numbers(n, n), b = numbers(n, 100 + n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    EXPECT_NEAR(dot(a, b), sum, 1e-13) << n;
  }
}

TEST(Kernels, RangeIsLeastAndLargestWhereverTheyStand) {
  for (std::size_t n = 1; n <= kLongest; ++n) {
    for (std::size_t at = 0; at < n; ++at) {
      auto x = numbers(n, n);
      for (const double extreme : {-7.0, 7.0, -std::numeric_limits<double>::max()}) {
        x[at] = extreme;
        const auto [low, high] = range_of(x);
        EXPECT_EQ(low, *std::min_element(x.begin(), x.end())) << n << ' ' << at;
        EXPECT_EQ(high, *std::max_element(x.begin(), x.end())) << n << ' ' << at;
      }
    }
  }
}

TEST(Kernels, OneNumberOutsideIsNotWithin) {
  for (std::size_t n = 1; n <= kLongest; ++n) {
    auto x = numbers(n, n);
    EXPECT_TRUE(all_within(x, -3, 3)) << n;
    for (std::size_t at = 0; at < n; ++at) {
      const double kept = x[at];
      for (const double outside : {-3.1, 3.1, std::numeric_limits<double>::quiet_NaN()}) {
        x[at] = outside;
        EXPECT_FALSE(all_within(x, -3, 3)) << n << ' ' << at << ' ' << outside;
      }
      for (const double limit : {-3.0, 3.0}) {
        x[at] = limit;
        EXPECT_TRUE(all_within(x, -3, 3)) << n << ' ' << at << ' ' << limit;
      }
      x[at] = kept;
    }
  }
}

TEST(Kernels, SoftminIsItsDefinition) {
  for (std::size_t n = 1; n <= kLongest; ++n) {
    for (const double scale : {0.0, 0.1, 5.0, 1e6}) {
      const auto x = numbers(n, n);
      const double least = *std::min_element(x.begin(), x.end());
      double sum = 0;
      for (const double one : x) sum += std::exp(-scale * (one - least));
      std::vector<double> out(n), in_place = x;
      for (std::vector<double>* to : {&out, &in_place}) {
        const SoftminSums sums = softmin(to == &out ? x : in_place, scale, *to);
        EXPECT_EQ(sums.minimum, least);
        EXPECT_NEAR(sums.log_sum, std::log(sum), 1e-13);
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_NEAR((*to)[i], std::exp(-scale * (x[i] - least)) / sum, 1e-14) << n << ' ' << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pcgs::kernels
