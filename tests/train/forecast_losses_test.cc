#include "forecast_losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "error_matrices.h"
#include "prior.h"
#include "varied_series.h"

namespace pcgs::train {
namespace {

// What 300 rounds are, of few experts and of many: another matrix for another seed, the same for the same.
template <class Make, class Expect>
void expect_of_each(std::uint64_t seeds, const Make& make, const Expect& expect) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const std::size_t experts : {std::size_t{2}, std::size_t{21}, kMostForecasters}) {
      SCOPED_TRACE(seed);
      const Matrix made = make(300, experts, seed);
      ASSERT_EQ(made.rows, 300u);
      ASSERT_EQ(made.columns, experts);
      expect(made);
      if (experts != 21) continue;
      EXPECT_EQ(made.values, make(300, experts, seed).values);
      EXPECT_NE(made.values, make(300, experts, seed + 1000).values);
    }
  }
}

TEST(ForecastLosses, AreBoundedAndAFunctionOfTheirSeed) {
  expect_of_each(20, make_forecast_losses, [](const Matrix& losses) {
    double clipped = 0;
    for (const double l : losses.values) {
      ASSERT_TRUE(l >= 0 && l <= 1) << l;
      clipped += l == 1;
    }
    // The scale is their 95 % quantile, times something in [0.5, 2].
    EXPECT_LT(clipped, 0.35 * static_cast<double>(losses.values.size()));
    EXPECT_GT(*std::max_element(losses.values.begin(), losses.values.end()), 0.4);
  });
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

TEST(SquaredErrors, AreBoundedAndAFunctionOfTheirSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix losses = make_squared_errors(300, 12, seed);
    ASSERT_EQ(losses.rows, 300u);
    ASSERT_EQ(losses.columns, 12u);
    double clipped = 0;
    for (const double l : losses.values) {
      ASSERT_TRUE(l >= 0 && l <= 1) << l;
      clipped += l == 1;
    }
    EXPECT_LT(clipped, 0.35 * static_cast<double>(losses.values.size())) << seed;
    EXPECT_EQ(losses.values, make_squared_errors(300, 12, seed).values);
    EXPECT_NE(losses.values, make_squared_errors(300, 12, seed + 1000).values);
    // The square of the error, but for a scale and the clipping.
    const Matrix errors = make_error_matrix(300, 12, seed);
    double scale = 0;
    for (std::size_t i = 0; i < errors.values.size(); ++i) {
      const double square = errors.values[i] * errors.values[i];
      if (losses.values[i] == 1 || losses.values[i] == 0) continue;
      if (scale == 0) scale = square / losses.values[i];
      EXPECT_NEAR(square / scale, losses.values[i], 1e-9 * losses.values[i]);
    }
  }
}

TEST(VariedSeries, AreFiniteAndAFunctionOfTheirSeed) {
  int as_made = 0;
  constexpr int kSeeds = 60;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    suite::Random random("test", seed), again("test", seed);
    const auto series = varied_series(500, 24, seed, random);
    ASSERT_EQ(series.size(), 500u);
    for (const double y : series) ASSERT_TRUE(std::isfinite(y)) << seed;
    EXPECT_EQ(series, varied_series(500, 24, seed, again));
    as_made += series == make_series(500, 24, seed);
  }
  // 0.5 x 0.7 of them keep to their law.
  EXPECT_GT(as_made, kSeeds / 6);
  EXPECT_LT(as_made, kSeeds * 3 / 5);
}

// ---- Errors, with their sign --------------------------------------------------------------------

double median_size(const Matrix& errors) {
  std::vector<double> sizes;
  for (const double e : errors.values) sizes.push_back(std::abs(e));
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

TEST(ForecastErrors, AreInUnitsOfTheUsualOneAndAFunctionOfTheirSeed) {
  expect_of_each(10, make_forecast_errors, [](const Matrix& errors) {
    double above = 0;
    for (const double e : errors.values) {
      ASSERT_LE(std::abs(e), 1000);  // NaN fails
      above += e > 0;
    }
    const double share = above / static_cast<double>(errors.values.size());
    EXPECT_TRUE(share > 0.1 && share < 0.9) << "errors of both signs, " << share;
    EXPECT_NEAR(median_size(errors), 1, 0.01);
  });
}

// Forecasters of one series are wrong together: that is what a combination can do nothing about.
TEST(ForecastErrors, HaveMoreInCommonThanChanceWouldGiveThem) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Matrix errors = make_forecast_errors(1000, 10, seed);
    double together = 0, apart = 0;  // squares of the mean of all, mean of the squares
    for (std::size_t t = 0; t < errors.rows; ++t) {
      double sum = 0;
      for (const double e : errors.row(t)) {
        const double bounded = std::clamp(e, -5.0, 5.0);
        sum += bounded;
        apart += bounded * bounded / 10;
      }
      together += sum * sum / 100;
    }
    EXPECT_GT(together, 0.2 * apart) << seed;
  }
}

TEST(ErrorMatrices, AreFiniteAndAFunctionOfTheirSeed) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (const std::size_t experts : {2u, 20u}) {
      const Matrix errors = make_error_matrix(200, experts, seed);
      ASSERT_EQ(errors.rows, 200u);
      ASSERT_EQ(errors.columns, experts);
      for (const double e : errors.values) ASSERT_TRUE(std::isfinite(e)) << seed;
      const double size = median_size(errors);
      EXPECT_TRUE(size > 0.02 && size < 50) << seed << ": of size about 1, not " << size;
      EXPECT_EQ(errors.values, make_error_matrix(200, experts, seed).values);
      EXPECT_NE(errors.values, make_error_matrix(200, experts, seed + 1000).values);
    }
  }
}

// In some worlds averaging is worth a lot, in others the best expert is; a controller must see both.
TEST(ErrorMatrices, ReachFromWorldsOfAveragesToWorldsOfOneExpert) {
  int averages = 0, experts = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Matrix errors = make_error_matrix(300, 8, seed);
    std::vector<double> own(8, 0.0);
    double mean = 0;
    for (std::size_t t = 0; t < errors.rows; ++t) {
      double sum = 0;
      for (std::size_t k = 0; k < 8; ++k) {
        sum += errors.row(t)[k] / 8;
        own[k] += errors.row(t)[k] * errors.row(t)[k];
      }
      mean += sum * sum;
    }
    const double best = *std::min_element(own.begin(), own.end());
    averages += mean < 0.7 * best;
    experts += best < 0.9 * mean;
  }
  EXPECT_GT(averages, 10);
  EXPECT_GT(experts, 10);
}

}  // namespace
}  // namespace pcgs::train
