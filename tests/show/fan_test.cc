// What fan charts show is what was published.
#include "show/fan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pcgs::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kWeek = 7 * 86400, kStart = 19632 * 86400.0;  // 2023-10-02

// Quantiles at round t are 100 t and one more for each level.
struct Example {
  explicit Example(std::vector<double> levels, std::size_t series = 1) {
    problem.levels = std::move(levels);
    problem.time = "week";
    problem.outcome = "cases";
    problem.calendar = true;
    if (series > 1) problem.by = {"place"};
    for (std::size_t s = 0; s < series; ++s) {
      problem.series.push_back(series > 1 ? std::vector{std::to_string(s)}
                                          : std::vector<std::string>{});
    }
  }
  void add(double week, double outcome, std::size_t series = 0) {
    const double at = problem.calendar ? kStart + kWeek * week : week;
    problem.rounds.push_back({series, at, at, "w" + std::to_string(week), "", outcome, {}});
  }
  FanView view() {
    published = Matrix(problem.rounds.size(), problem.levels.size());
    for (std::size_t t = 0; t < published.rows; ++t) {
      for (std::size_t p = 0; p < problem.levels.size(); ++p) {
        published.row(t)[p] = 100 * static_cast<double>(t) + static_cast<double>(p);
      }
    }
    for (const std::size_t t : silent) {
      for (double& x : published.row(t)) x = kNaN;
    }
    return fan_view(problem, published);
  }

  QuantileProblem problem;
  std::vector<std::size_t> silent;  // rounds in which nobody forecasts
  Matrix published;
};

const std::vector<double> kHubLevels = {0.01, 0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975, 0.99};

TEST(FanView, HasTheUsualIntervalsTheMedianAndOutcomes) {
  Example example(kHubLevels);
  for (int week = 0; week < 5; ++week) example.add(week, week < 3 ? 1000 + week : kNaN);
  const FanView view = example.view();
  EXPECT_EQ(view.middle, "median");
  ASSERT_EQ(view.fans.size(), 1u);
  const auto& fan = view.fans[0];
  EXPECT_EQ(fan.at, (std::vector<double>{0, 1, 2, 3, 4}));  // weeks
  EXPECT_EQ(fan.range.calendar->origin, 1000 * kStart);
  EXPECT_EQ(fan.middle, (std::vector<double>{4, 104, 204, 304, 404}));
  ASSERT_EQ(fan.bands.size(), 3u);
  EXPECT_EQ(fan.bands[0].name, "50 %");
  EXPECT_EQ(fan.bands[0].low[1], 103);
  EXPECT_EQ(fan.bands[0].high[1], 105);
  EXPECT_EQ(fan.bands[1].name, "80 %");
  EXPECT_EQ(fan.bands[2].name, "95 %");
  EXPECT_EQ(fan.bands[2].low[4], 401);
  EXPECT_EQ(fan.bands[2].high[4], 407);
  EXPECT_EQ(fan.came[2], 1002);
  EXPECT_TRUE(std::isnan(fan.came[3]) && std::isnan(fan.came[4]));
  EXPECT_EQ(fan.coming, 2u);
}

TEST(FanView, ShowsNothingInAPauseAndWhereNobodyForecasts) {
  Example example({0.1, 0.5, 0.9});
  for (const double week : {0.0, 1.0, 2.0, 3.0, 25.0, 26.0, 28.0}) example.add(week, 7);
  example.silent = {1};
  const FanView view = example.view();
  const auto& fan = view.fans.at(0);
  EXPECT_EQ(fan.at, (std::vector<double>{0, 1, 2, 3, 14, 25, 26, 28}));
  for (const std::size_t i : {1u, 4u}) {
    EXPECT_TRUE(std::isnan(fan.middle[i]) && std::isnan(fan.bands[0].low[i])) << i;
  }
  EXPECT_TRUE(std::isnan(fan.came[4]));
  EXPECT_EQ(fan.came[1], 7);
  EXPECT_EQ(fan.middle[5], 401);
}

TEST(FanView, KeepsTheLatestRoundsOfLongSeriesAndAPageOfManyStaysSmall) {
  Example one({0.1, 0.5, 0.9});
  for (int week = 0; week < 1000; ++week) one.add(week, 1);
  const FanView alone = one.view();
  EXPECT_EQ(alone.fans[0].rounds, 1000u);
  EXPECT_EQ(alone.fans[0].shown, 400u);
  EXPECT_EQ(alone.fans[0].when.front(), "w" + std::to_string(600.0));
  EXPECT_EQ(alone.fans[0].middle.back(), 99901);

  Example many({0.1, 0.5, 0.9}, 300);
  for (int week = 0; week < 100; ++week) {
    for (std::size_t s = 0; s < 300; ++s) many.add(week, 1, s);
  }
  const FanView view = many.view();
  EXPECT_EQ(view.series, 300u);
  EXPECT_EQ(view.fans.size(), 200u);
  std::size_t rows = 0;
  for (const auto& fan : view.fans) rows += fan.at.size();
  EXPECT_EQ(rows, 12000u);
  EXPECT_EQ(view.fans[1].key, std::vector<std::string>{"1"});
}

TEST(FanView, LevelsWithoutPairsHaveTheBandBetweenTheirEnds) {
  Example example({0.05, 0.2, 0.4});
  example.add(0, 1);
  example.add(1, 1);
  const FanView view = example.view();
  EXPECT_EQ(view.middle, "quantile 0.4");
  ASSERT_EQ(view.fans[0].bands.size(), 1u);
  EXPECT_EQ(view.fans[0].bands[0].name, "quantiles 0.05 to 0.4");
  EXPECT_EQ(view.fans[0].bands[0].high[1], 102);
  Example point({0.5});
  point.add(0, 1);
  point.add(1, 1);
  EXPECT_TRUE(point.view().fans[0].bands.empty());
}

TEST(FanView, ASeriesWithOneForecastHasNoFan) {
  Example example({0.1, 0.5, 0.9}, 2);
  example.add(0, 1, 0);
  example.add(0, 1, 1);
  example.add(1, 1, 1);
  const FanView view = example.view();
  ASSERT_EQ(view.fans.size(), 1u);
  EXPECT_EQ(view.fans[0].key, std::vector<std::string>{"1"});
}

TEST(FanView, PlainNumbersStandWhereTheyAre) {
  Example example({0.1, 0.5, 0.9});
  example.problem.calendar = false;
  for (const double week : {2020.0, 2021.0, 2022.0}) example.add(week, 1);
  const FanView view = example.view();
  EXPECT_FALSE(view.fans[0].range.calendar);
  EXPECT_EQ(view.fans[0].range.first, 2020);
  EXPECT_EQ(view.fans[0].at, (std::vector<double>{2020, 2021, 2022}));
}

TEST(FanCharts, AreChosenBySeriesAndDrawTheWidestBandFirst) {
  Example example(kHubLevels, 2);
  for (int week = 0; week < 4; ++week) {
    for (const std::size_t s : {0u, 1u}) example.add(week, week < 3 ? 1000 : kNaN, s);
  }
  const auto blocks = fan_blocks(example.view());
  const auto& choice = std::get<Choice>(blocks.at(0));
  ASSERT_EQ(choice.options.size(), 2u);
  EXPECT_EQ(choice.options[1].name, "place 1");
  const auto& chart = std::get<Chart>(choice.options[1].blocks.at(0));
  const ordered_json series = {"what came", "median", "50 %", "80 %", "95 %"};
  EXPECT_EQ(chart.values["series"], series);
  EXPECT_EQ(chart.datasets["bands"][0]["series"], "95 %");
  EXPECT_EQ(chart.datasets["bands"][0]["low"], ordered_json({101, 301, 501, 701}));
  EXPECT_EQ(chart.groups[0]["came"], ordered_json({1000, 1000, 1000, nullptr}));
  EXPECT_NE(chart.note.find("What comes last is not known yet."), std::string::npos);
  EXPECT_NE(chart.alternative.find("0 outcomes of 3 lay in the widest band, 95 %."),
            std::string::npos)
      << chart.alternative;
}

}  // namespace
}  // namespace pcgs::report
