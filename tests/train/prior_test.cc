#include "prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace pcgs::train {
namespace {

TEST(Series, IsFiniteAndAFunctionOfItsSeed) {
  std::set<double> last;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto y = make_series(2000, 24, seed);
    ASSERT_EQ(y.size(), 2000u);
    for (const double value : y) ASSERT_TRUE(std::isfinite(value)) << "seed " << seed;
    last.insert(y.back());
    EXPECT_EQ(y, make_series(2000, 24, seed));
  }
  EXPECT_EQ(last.size(), 200u);
}

double correlation(const std::vector<double>& y, std::size_t lag) {
  double mean = 0, variance = 0, together = 0;
  for (const double value : y) mean += value / static_cast<double>(y.size());
  for (const double value : y) variance += (value - mean) * (value - mean);
  for (std::size_t t = lag; t < y.size(); ++t) together += (y[t] - mean) * (y[t - lag] - mean);
  return together / variance;
}

// Most series have a day: a day ago says more than half a day ago.
TEST(Series, RepeatsItselfDayByDay) {
  int days = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto y = make_series(24 * 60, 24, seed);
    days += correlation(y, 24) > correlation(y, 12) + 0.05;
  }
  EXPECT_GE(days, 30);
  EXPECT_LE(days, 95);  // and some have none
}

}  // namespace
}  // namespace pcgs::train
