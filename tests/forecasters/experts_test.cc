// Every expert equals its definition, computed from the whole history, with and without gaps.
#include "pcgs/experts.h"

#include <gtest/gtest.h>

#include <functional>

#include "forecasters/series.h"
#include "reference/forecasters.h"
#include "support/expect.h"

namespace pcgs::test {
namespace {

using reference::History;

struct Case {
  const char* name;
  std::function<std::unique_ptr<Expert>()> make;
  std::function<double(History)> defined;
  double tolerance = 1e-12;  // relative to the size of the values
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"lag1", [] { return lag_expert(1); }, [](History h) { return reference::lag(h, 1); }},
      {"lag84", [] { return lag_expert(84); }, [](History h) { return reference::lag(h, 84); }},
      {"mean12", [] { return mean_expert(12); }, [](History h) { return reference::mean(h, 12); }},
      {"ewma0.3", [] { return ewma_expert(0.3); },
       [](History h) { return reference::ewma(h, 0.3); }},
      {"drift5", [] { return drift_expert(5); }, [](History h) { return reference::drift(h, 5); }},
      {"seasonal-mean12x4", [] { return seasonal_mean_expert(12, 4); },
       [](History h) { return reference::seasonal_mean(h, 12, 4); }},
      {"seasonal-change12", [] { return seasonal_change_expert(12); },
       [](History h) { return reference::seasonal_change(h, 12); }},
      {"rls1-3+12",
       [] {
         return regression_expert({1, 2, 3, 12});
       },
       [](History h) {
         return reference::regression(h, {1, 2, 3, 12}, 1, 1e4, 0);
       },
       1e-9},
      {"rls1+2+12@0.99",
       [] {
         return regression_expert({12, 1, 2}, {.forgetting = 0.99});
       },
       [](History h) {
         return reference::regression(h, {1, 2, 12}, 0.99, 1e4, 0);
       },
       1e-9},
      {"rls1@prior4@unit0.5", [] { return regression_expert({1}, {.prior = 4, .unit = 0.5}); },
       [](History h) { return reference::regression(h, {1}, 1, 4, 0.5); }, 1e-9},
      {"rls1+2+12@last60",
       [] {
         return rolling_regression_expert({1, 2, 12}, 60);
       },
       [](History h) {
         return reference::rolling_regression(h, {1, 2, 12}, 60);
       },
       1e-6},  // the ridge
      {"holt-winters12", [] { return holt_winters_expert(12); },
       [](History h) { return reference::holt_winters(h, 12, 0.2, 0.01, 0.1); }, 1e-12},
      {"holt-winters12@0.5+0+0.3",
       [] {
         return holt_winters_expert(12, {0.5, 0, 0.3});
       },
       [](History h) { return reference::holt_winters(h, 12, 0.5, 0, 0.3); }, 1e-12},
  };
  return all;
}

// [T + 1] forecasts of every step and of the one after the last.
std::vector<double> forecasts_of(const Case& one, const std::vector<double>& series) {
  Experts experts;
  experts.push_back(one.make());
  ExpertPool pool(std::move(experts));
  std::vector<double> out(series.size() + 1);
  for (std::size_t t = 0; t <= series.size(); ++t) {
    pool.forecast({&out[t], 1});
    if (t < series.size()) pool.observe(series[t]);
  }
  return out;
}

TEST(Experts, SayWhoTheyAre) {
  for (const Case& one : cases()) EXPECT_EQ(one.make()->name(), one.name);
}

TEST(Experts, EqualTheirDefinition) {
  for (const double gaps : {0.0, 0.1}) {
    const auto series = seasonal_series(400, 3, gaps);
    for (const Case& one : cases()) {
      const auto forecasts = forecasts_of(one, series);
      std::size_t awake = 0;
      for (std::size_t t = 0; t <= series.size(); ++t) {
        const double expected = one.defined(History(series).first(t));
        ASSERT_EQ(std::isnan(forecasts[t]), std::isnan(expected))
            << one.name << " at " << t << " with gaps " << gaps;
        if (std::isnan(expected)) continue;
        ++awake;
        ASSERT_NEAR(forecasts[t], expected, 20 * one.tolerance) << one.name << " at " << t;
      }
      EXPECT_GT(awake, gaps > 0 ? 100u : 300u) << one.name;
    }
  }
}

TEST(Experts, DoNotSeeTheFuture) {
  const auto series = seasonal_series(300, 4, 0.05);
  for (const std::size_t cut : {1u, 30u, 150u, 299u}) {
    auto other = series;
    for (std::size_t t = cut; t < other.size(); ++t) other[t] = -3 * other[t] + 1;
    for (const Case& one : cases()) {
      auto a = forecasts_of(one, series), b = forecasts_of(one, other);
      a.resize(cut + 1);
      b.resize(cut + 1);
      EXPECT_TRUE(same_bits(a, b)) << one.name << " knows what comes after " << cut;
    }
  }
}

TEST(Experts, DoNotCareAboutTheUnit) {
  const auto series = seasonal_series(300, 5);
  auto scaled = series;
  for (double& y : scaled) y *= 1024;  // a power of 2, so that nothing is rounded
  for (const Case& one : cases()) {
    if (std::string(one.name).find("unit") != std::string::npos) continue;
    const auto a = forecasts_of(one, series), b = forecasts_of(one, scaled);
    for (std::size_t t = 0; t < a.size(); ++t) {
      if (std::isnan(a[t])) continue;
      ASSERT_NEAR(1024 * a[t], b[t], 1e-9 * std::abs(b[t])) << one.name << " at " << t;
    }
  }
}

TEST(Experts, RefuseNumbersThatMakeNoSense) {
  EXPECT_TRUE(mentions(error_of([] { lag_expert(0); }), "the lag is 0; give a whole number"));
  EXPECT_TRUE(mentions(error_of([] { mean_expert(kLongestReach + 1); }), "the window"));
  EXPECT_TRUE(mentions(error_of([] { ewma_expert(1.5); }), "the rate is 1.5"));
  EXPECT_TRUE(mentions(error_of([] { ewma_expert(std::nan("")); }), "the rate"));
  EXPECT_TRUE(mentions(error_of([] { drift_expert(0); }), "the window"));
  EXPECT_TRUE(mentions(error_of([] { seasonal_mean_expert(0, 4); }), "the season"));
  EXPECT_TRUE(
      mentions(error_of([] { seasonal_mean_expert(kLongestReach, 2); }), "number of seasons"));
  EXPECT_TRUE(mentions(error_of([] { seasonal_change_expert(1); }), "the season"));
  EXPECT_TRUE(mentions(error_of([] { regression_expert({}); }), "number of lags"));
  EXPECT_TRUE(mentions(error_of([] { regression_expert({1, 2, 1}); }), "lag 1 is given twice"));
  EXPECT_TRUE(mentions(error_of([] { regression_expert({1}, {.forgetting = 0.2}); }),
                       "the forgetting is 0.2"));
  EXPECT_TRUE(mentions(error_of([] { rolling_regression_expert({1, 2}, 5); }), "the window"));
  EXPECT_TRUE(mentions(error_of([] { holt_winters_expert(1); }), "the season"));
  EXPECT_TRUE(mentions(error_of([] { holt_winters_expert(12, {2, 0, 0}); }), "level"));
}

}  // namespace
}  // namespace pcgs::test
