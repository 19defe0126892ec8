#include "forecast_losses.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pcgs::train {
namespace {

TEST(ForecastLosses, AreBoundedAndAFunctionOfTheirSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const std::size_t experts : {std::size_t{2}, std::size_t{21}, kMostForecasters}) {
      const Matrix losses = make_forecast_losses(300, experts, seed);
      ASSERT_EQ(losses.rows, 300u);
      ASSERT_EQ(losses.columns, experts);
      double clipped = 0;
      for (const double l : losses.values) {
        ASSERT_TRUE(l >= 0 && l <= 1) << l;
        clipped += l == 1;
      }
      // The scale is their 95 % quantile, times something in [0.5, 2].
      EXPECT_LT(clipped, 0.35 * static_cast<double>(losses.values.size())) << seed;
      EXPECT_GT(*std::max_element(losses.values.begin(), losses.values.end()), 0.4) << seed;
      if (experts == 21) {
        EXPECT_EQ(losses.values, make_forecast_losses(300, experts, seed).values);
        EXPECT_NE(losses.values, make_forecast_losses(300, experts, seed + 1000).values);
      }
    }
  }
}

// A lot of different experts, and one of them is better than the average by far.
TEST(ForecastLosses, TellExpertsApart) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix losses = make_forecast_losses(1000, 21, seed);
    std::vector<double> total(21, 0.0);
    for (std::size_t t = 0; t < losses.rows; ++t) {
      for (std::size_t k = 0; k < 21; ++k) total[k] += losses.row(t)[k];
    }
    std::sort(total.begin(), total.end());
    EXPECT_LT(total.front(), 0.9 * total[10]) << seed;
    EXPECT_EQ(std::adjacent_find(total.begin(), total.end()), total.end()) << "twice the same";
  }
}

}  // namespace
}  // namespace pcgs::train
