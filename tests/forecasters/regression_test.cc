// What recursive least squares must survive: a million steps, series that do not move, values of
// any size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "forecasters/forecasters.h"
#include "forecasters/series.h"
#include "pcgs/experts.h"
#include "reference/forecasters.h"
#include "support/expect.h"

namespace pcgs::test {
namespace {

Experts regressions() {
  Experts experts;
  experts.push_back(regression_expert({1, 2, 3, 24}));
  experts.push_back(regression_expert({1, 2, 3, 4, 5, 6, 24, 25}, {.forgetting = 0.999}));
  experts.push_back(regression_expert({1, 2, 24}, {.forgetting = 0.99}));
  experts.push_back(rolling_regression_expert({1, 2, 3, 24}, 200));
  return experts;
}

TEST(LeastSquares, StaysPositiveAndBoundedOverAMillionSteps) {
  // Half of the time nothing moves, so that forgetting has nothing to replace what it drops.
  Random random(7);
  for (const double forgetting : {0.99, 0.9, 0.5}) {
    LeastSquares squares(4, forgetting, 1e4);
    std::vector<double> x(4);
    for (int t = 0; t < 1000000; ++t) {
      const bool still = t / 5000 % 2 == 0;
      x = {1, still ? 0.3 : random.uniform(-1, 1), still ? 0.3 : random.uniform(-1, 1), 0.3};
      ASSERT_TRUE(squares.learn(x, 2 + x[1] - x[2] + (still ? 0 : random.uniform(-0.01, 0.01))));
      if (t % 1000 != 0) continue;
      ASSERT_LE(squares.trace(), 1.000001 * LeastSquares::kLargestTrace * 4e4);
      ASSERT_GT(squares.trace(), 0);
    }
    EXPECT_NEAR(squares.predict(std::vector<double>{1, 0.5, -0.5, 0.3}), 3, 0.02) << forgetting;
  }
}

TEST(Regression, ForecastsAConstantSeriesForAMillionSteps) {
  for (const double level : {1.0, 0.0, -1e6, 3e-8}) {
    ExpertPool pool(regressions());
    std::vector<double> out(pool.size());
    for (int t = 0; t < 1000000; ++t) pool.observe(level);
    pool.forecast(out);
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (level == 0 && std::isnan(out[k])) continue;  // nothing to measure by
      EXPECT_NEAR(out[k], level, 1e-6 * std::abs(level)) << pool.names()[k];
    }
  }
}

TEST(Regression, RecoversWithinASeasonFromAStretchThatDidNotMove) {
  auto series = seasonal_series(60000, 8);
  for (std::size_t t = 5000; t < 50000; ++t) series[t] = series[5000];
  ExpertPool pool(regressions());
  std::vector<double> out(pool.size()), error(pool.size(), 0.0);
  for (std::size_t t = 0; t < series.size(); ++t) {
    pool.forecast(out);
    for (std::size_t k = 0; k < out.size(); ++k) {
      ASSERT_TRUE(t <= 40 || std::isfinite(out[k])) << pool.names()[k] << " at " << t;
      if (t >= 50500) error[k] += std::abs(out[k] - series[t]) / 9500;
    }
    pool.observe(series[t]);
  }
  for (std::size_t k = 0; k < out.size(); ++k) EXPECT_LT(error[k], 1.5) << pool.names()[k];
}

TEST(Regression, BeginsAnewAfterValuesBeyondReason) {
  ExpertPool pool(regressions());
  std::vector<double> out(pool.size());
  const auto series = seasonal_series(3000, 9);
  for (std::size_t t = 0; t < series.size(); ++t) {
    pool.observe(t == 1000 ? std::numeric_limits<double>::max() : series[t]);
    pool.forecast(out);
    for (const double f : out) ASSERT_FALSE(std::isinf(f));
  }
  for (std::size_t k = 0; k < out.size(); ++k) EXPECT_NEAR(out[k], 20, 12) << pool.names()[k];
}

TEST(RollingRegression, IsItselfAgainWhenWhatWasHugeHasLeftTheWindow) {
  const std::vector<std::size_t> lags = {1, 2, 24};
  constexpr std::size_t kWindow = 500;
  auto outlier = seasonal_series(1500, 14), decay = outlier;
  outlier[600] = 1e9;
  for (std::size_t t = 0; t < decay.size(); ++t) {
    decay[t] += 1e12 * std::pow(0.9, static_cast<double>(t));
  }
  for (const auto& series : {outlier, decay}) {
    Experts experts;
    experts.push_back(rolling_regression_expert(lags, kWindow));
    ExpertPool pool(std::move(experts));
    for (std::size_t t = 0; t < series.size(); ++t) {
      double forecast = 0;
      pool.forecast({&forecast, 1});
      const auto past = reference::History(series).first(t);
      const bool only_small =
          t > kWindow + 24 &&
          std::none_of(past.end() - (kWindow + 24), past.end(), [](double y) { return y > 100; });
      if (only_small) {
        ASSERT_NEAR(forecast, reference::rolling_regression(past, lags, kWindow), 1e-4) << t;
      }
      pool.observe(series[t]);
    }
  }
}

// Over the second half of a series that begins with `first`.
double mean_error(std::vector<std::size_t> lags, const std::vector<double>& first) {
  auto series = seasonal_series(2000, 15);
  std::copy(first.begin(), first.end(), series.begin());
  Experts experts;
  experts.push_back(regression_expert(std::move(lags)));
  ExpertPool pool(std::move(experts));
  double sum = 0;
  for (std::size_t t = 0; t < series.size(); ++t) {
    double forecast = 0;
    pool.forecast({&forecast, 1});
    if (t >= 1000) sum += std::abs(forecast - series[t]) / 1000;
    pool.observe(series[t]);
  }
  return sum;
}

TEST(Regression, IsNotSpoiledByItsFirstValues) {
  for (const auto& lags : std::vector<std::vector<std::size_t>>{{1}, {1, 2}, {1, 2, 3, 24}}) {
    const double usual = mean_error(lags, {});
    EXPECT_LT(mean_error(lags, {1e-150}), 1.05 * usual) << lags.size();
    EXPECT_LT(mean_error(lags, {0, 0, 0}), 1.05 * usual) << lags.size();
    // As long as anybody looks back, and the unit has to be chosen again.
    EXPECT_LT(mean_error(lags, std::vector<double>(30, 1e-160)), 1.05 * usual) << lags.size();
  }
}

TEST(Regression, MeasuresByTheMedianOfItsFirstValues) {
  // A gap keeps the wild value out of what is learned: only the unit could tell the two apart.
  const double gap = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NEAR(mean_error({1, 2}, {1e6, gap, gap}), mean_error({1, 2}, {gap, gap, gap}), 1e-3);
  EXPECT_NEAR(mean_error({1}, {1e6, gap}), mean_error({1}, {gap, gap}), 1e-3);
}

}  // namespace
}  // namespace pcgs::test
