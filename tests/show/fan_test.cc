// What fan charts show is what was published.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "show/sections.h"

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
  // The charts of all series.
  std::vector<Chart> fans() {
    Matrix published(problem.rounds.size(), problem.levels.size());
    for (std::size_t t = 0; t < published.rows; ++t) {
      for (std::size_t p = 0; p < problem.levels.size(); ++p) {
        published.row(t)[p] = 100 * static_cast<double>(t) + static_cast<double>(p);
      }
    }
    for (const std::size_t t : silent) {
      for (double& x : published.row(t)) x = kNaN;
    }
    const auto blocks = fan_charts(problem, published).fans;
    std::vector<Chart> charts;
    if (const auto* chart = std::get_if<Chart>(&blocks.at(0))) return {*chart};
    for (const auto& option : std::get<Choice>(blocks.at(0)).options) {
      charts.push_back(std::get<Chart>(option.blocks.at(0)));
      EXPECT_EQ("Forecasts of " + option.name, charts.back().title);
    }
    return charts;
  }

  QuantileProblem problem;
  std::vector<std::size_t> silent;  // rounds in which nobody forecasts
};

const std::vector<double> kHubLevels = {0.01, 0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975, 0.99};

TEST(FanCharts, HaveTheUsualIntervalsTheMedianAndOutcomes) {
  Example example(kHubLevels);
  for (int week = 0; week < 5; ++week) example.add(week, week < 3 ? 1000 + week : kNaN);
  const auto fans = example.fans();
  ASSERT_EQ(fans.size(), 1u);
  const auto& row = fans[0].groups[0];
  EXPECT_EQ(row["round"], ordered_json({0, 1, 2, 3, 4}));  // weeks
  EXPECT_EQ(fans[0].calendar->origin, 1000 * kStart);
  EXPECT_EQ(row["middle"], ordered_json({4, 104, 204, 304, 404}));
  EXPECT_EQ(row["came"], ordered_json({1000, 1001, 1002, nullptr, nullptr}));
  EXPECT_EQ(fans[0].values["series"],
            ordered_json({"what came", "median", "50 %", "80 %", "95 %"}));
  // The widest is drawn first.
  const auto& bands = fans[0].datasets["bands"];
  EXPECT_EQ(bands[0]["series"], "95 %");
  EXPECT_EQ(bands[0]["low"], ordered_json({1, 101, 201, 301, 401}));
  EXPECT_EQ(bands[0]["high"], ordered_json({7, 107, 207, 307, 407}));
  EXPECT_EQ(bands[1]["series"], "80 %");
  EXPECT_EQ(bands[2]["low"], ordered_json({3, 103, 203, 303, 403}));
  EXPECT_EQ(bands[2]["high"], ordered_json({5, 105, 205, 305, 405}));
  EXPECT_NE(fans[0].note.find("The last 2 are not known yet."), std::string::npos);
  EXPECT_NE(fans[0].alternative.find("0 outcomes of 3 lay in the widest band, 95 %."),
            std::string::npos)
      << fans[0].alternative;
}

TEST(FanCharts, ShowNothingInAPauseAndWhereNobodyForecasts) {
  Example example({0.1, 0.5, 0.9});
  for (const double week : {0.0, 1.0, 2.0, 3.0, 25.0, 26.0, 28.0}) example.add(week, 7);
  example.silent = {1};
  const auto row = example.fans().at(0).groups[0];
  EXPECT_EQ(row["round"], ordered_json({0, 1, 2, 3, 14, 25, 26, 28}));
  for (const char* what : {"middle", "low"}) {
    for (const std::size_t i : {1u, 4u}) EXPECT_TRUE(row[what][i].is_null()) << what << i;
  }
  EXPECT_TRUE(row["came"][4].is_null());
  EXPECT_EQ(row["came"][1], 7);
  EXPECT_EQ(row["middle"][5], 401);
}

TEST(FanCharts, KeepTheLatestRoundsOfLongSeriesAndAPageOfManyStaysSmall) {
  Example one({0.1, 0.5, 0.9});
  for (int week = 0; week < 1000; ++week) one.add(week, 1);
  const Chart alone = one.fans().at(0);
  EXPECT_NE(alone.note.find("The last 400 of 1000 rounds."), std::string::npos);
  EXPECT_EQ(alone.groups[0]["when"][0], "w" + std::to_string(600.0));
  EXPECT_EQ(alone.groups[0]["middle"].back(), 99901);

  Example many({0.1, 0.5, 0.9}, 300);
  for (int week = 0; week < 100; ++week) {
    for (std::size_t s = 0; s < 300; ++s) many.add(week, 1, s);
  }
  const auto fans = many.fans();
  EXPECT_EQ(fans.size(), 200u);
  std::size_t rows = 0;
  for (const auto& fan : fans) rows += fan.groups[0]["round"].size();
  EXPECT_EQ(rows, 12000u);
  EXPECT_EQ(fans[1].title, "Forecasts of place 1");
}

TEST(FanCharts, OfLevelsWithoutPairsHaveTheBandBetweenTheirEnds) {
  Example example({0.05, 0.2, 0.4}), point({0.5});
  for (const double week : {0.0, 1.0}) {
    example.add(week, 1);
    point.add(week, 1);
  }
  const Chart fan = example.fans().at(0);
  EXPECT_EQ(fan.values["middle"], "quantile 0.4");
  EXPECT_EQ(fan.values["widest"], "quantiles 0.05 to 0.4");
  EXPECT_EQ(fan.datasets["bands"][0]["high"], ordered_json({2, 102}));
  EXPECT_TRUE(point.fans().at(0).datasets["bands"].empty());
}

TEST(FanCharts, AreOfSeriesWithTwoForecastsAndOfNumbersWhereTheyStand) {
  Example example({0.1, 0.5, 0.9}, 2);
  example.problem.calendar = false;
  for (const double year : {2020.0, 2021.0, 2022.0}) example.add(year, year < 2022 ? 1 : kNaN, 1);
  example.add(2020, 1, 0);
  const auto fans = example.fans();
  ASSERT_EQ(fans.size(), 1u);
  EXPECT_EQ(fans[0].title, "Forecasts of place 1");
  EXPECT_FALSE(fans[0].calendar);
  EXPECT_EQ(fans[0].groups[0]["round"], ordered_json({2020, 2021, 2022}));
  EXPECT_NE(fans[0].note.find("What comes last is not known yet."), std::string::npos);
}

}  // namespace
}  // namespace pcgs::report
