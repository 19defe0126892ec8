#include "run/bootstrap.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "reference/methods.h"
#include "run/summary.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::stats {
namespace {

std::vector<double> transformed(const std::vector<double>& x, double scale, double shift) {
  std::vector<double> out(x);
  for (double& value : out) value = scale * value + shift;
  return out;
}

// With four numbers few means are possible. Both ends lie well inside a run of equal ones, so that
// enough resamples must give the exact answer.
TEST(Bootstrap, MatchesEnumerationOfAllResamples) {
  const Bootstrap bootstrap(4, 1'000'000, 1);
  const std::vector<std::vector<double>> problems = {
      {1, 4, 9, 30}, {30, 1, 9, 4}, {-1, -4, -9, -30}, {0, 1, 2, 20}};
  for (const std::vector<double>& x : problems) {
    for (const double level : {0.5, 0.8, 0.9, 0.95}) {
      const Interval fast = bootstrap.interval(x, level);
      const reference::BcaInterval slow = reference::bca_by_enumeration(x, level);
      EXPECT_NEAR(fast.low, slow.low, 1e-12) << level << ::testing::PrintToString(x);
      EXPECT_NEAR(fast.high, slow.high, 1e-12) << level << ::testing::PrintToString(x);
    }
  }
}

// With two hundred normal numbers the t interval is right and the bootstrap must be near it: the
// ends of ten thousand resamples scatter by 1.4 % of its half width.
TEST(Bootstrap, IsCloseToTheTIntervalOfManyNormalNumbers) {
  constexpr std::size_t kSize = 200;
  test::Random random(4);
  std::vector<double> x(kSize);
  for (double& value : x) {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    value = 5 + 3 * radius * std::cos(2 * std::numbers::pi * random.uniform());
  }
  const Summary summary = summarize(x);
  const Bootstrap bootstrap(kSize, kResamples, 5);
  for (const double level : {0.8, 0.95}) {
    const boost::math::students_t student(kSize - 1);
    const double half = boost::math::quantile(student, (1 + level) / 2) * summary.std /
                        std::sqrt(static_cast<double>(kSize));
    const Interval interval = bootstrap.interval(x, level);
    EXPECT_NEAR(interval.low, summary.mean - half, 0.05 * half) << level;
    EXPECT_NEAR(interval.high, summary.mean + half, 0.05 * half) << level;
  }
}

TEST(Bootstrap, IsTheSameForTheSameSeedOnly) {
  test::Random random(6);
  const std::vector<double> x = random.losses(20);
  const Interval first = Bootstrap(20, kResamples, 7).interval(x);
  const Interval again = Bootstrap(20, kResamples, 7).interval(x);
  const Interval other = Bootstrap(20, kResamples, 8).interval(x);
  EXPECT_TRUE(test::same_bits(first.low, again.low));
  EXPECT_TRUE(test::same_bits(first.high, again.high));
  EXPECT_NE(first.low, other.low);
  EXPECT_NE(first.high, other.high);
}

// The whole numbers have many resamples whose mean is that of the sample; times 0.1 those means
// differ in the last bits.
TEST(Bootstrap, FollowsShiftAndScale) {
  test::Random random(9);
  const Bootstrap bootstrap(10, 2000, 10);
  const std::vector<double> whole = {0, 0, 1, 1, 2, 3, 3, 5, 8, 17};
  for (const std::vector<double>& x : {random.losses(10), whole}) {
    const Interval plain = bootstrap.interval(x);
    for (const double scale : {0.1, 7.3, 1e-200, 1e200}) {
      for (const double shift : {0.0, 0.7 * scale, -1e6 * scale}) {
        const Interval moved = bootstrap.interval(transformed(x, scale, shift));
        EXPECT_NEAR((moved.low - shift) / scale, plain.low, 1e-8) << scale << " " << shift;
        EXPECT_NEAR((moved.high - shift) / scale, plain.high, 1e-8) << scale << " " << shift;
      }
    }
    const Interval negated = bootstrap.interval(transformed(x, -1, 0));
    EXPECT_NEAR(-negated.high, plain.low, 1e-12);
    EXPECT_NEAR(-negated.low, plain.high, 1e-12);
  }
}

TEST(Bootstrap, WidensWithTheLevelAndStaysInsideTheData) {
  const std::vector<double> x = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};  // as skewed as ten numbers can be
  const Bootstrap bootstrap(x.size(), kResamples, 11);
  Interval last = bootstrap.interval(x, 1e-9);
  for (const double level : {0.1, 0.5, 0.9, 0.99, 0.9999, 1 - 1e-9, 1 - 0x1p-53}) {
    const Interval wider = bootstrap.interval(x, level);
    EXPECT_LE(wider.low, last.low) << level;
    EXPECT_GE(wider.high, last.high) << level;
    EXPECT_GE(wider.low, 0) << level;
    EXPECT_LE(wider.high, 1) << level;
    last = wider;
  }
  EXPECT_NEAR(last.low, 0, 1e-15);
  EXPECT_GT(last.high, 0.5);
}

TEST(Bootstrap, OfEqualNumbersIsAPoint) {
  for (const std::size_t n : {1u, 3u, 20u}) {
    const Interval interval = Bootstrap(n, 100, 12).interval(std::vector<double>(n, 0.1));
    EXPECT_EQ(interval.low, 0.1) << n;
    EXPECT_EQ(interval.high, 0.1) << n;
  }
}

TEST(Bootstrap, OfASingleResampleIsItsMean) {
  const Interval interval = Bootstrap(3, 1, 13).interval(std::vector<double>{1, 10, 100});
  EXPECT_EQ(interval.low, interval.high);
  EXPECT_GE(interval.low, 1);
  EXPECT_LE(interval.low, 100);
}

}  // namespace
}  // namespace pcgs::stats
