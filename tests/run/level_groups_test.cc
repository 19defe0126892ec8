#include "run/level_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "run/central_intervals.h"
#include "run/level_rows_problem.h"

namespace pcgs::compare {
namespace {

TEST(LevelGroups, EveryRoundIsInOneSeriesAndInOneValueOfEachColumn) {
  const LevelProblem problem = test::places_and_horizons(test::made_up_rows(3, 12, 4, 3));
  std::vector<int> in_series(problem.rounds.size());
  const auto by_series = rounds_by_series(problem);
  ASSERT_EQ(by_series.size(), 4u);
  for (std::size_t s = 0; s < by_series.size(); ++s) {
    for (const std::size_t t : by_series[s]) {
      EXPECT_EQ(problem.rounds[t].series, s);
      ++in_series[t];
    }
  }
  EXPECT_TRUE(std::ranges::all_of(in_series, [](int n) { return n == 1; }));
  std::vector<int> in_values(2 * problem.rounds.size());
  for (const auto& [column, value, rounds] : rounds_by_value(problem)) {
    EXPECT_TRUE(std::ranges::is_sorted(rounds));
    for (const std::size_t t : rounds) {
      EXPECT_EQ(problem.series[problem.rounds[t].series][column], value);
      ++in_values[2 * t + column];
    }
  }
  EXPECT_TRUE(std::ranges::all_of(in_values, [](int n) { return n == 1; }));
}

TEST(LevelGroups, NumbersComeInTheirOrderBeforeTexts) {
  LevelProblem problem;
  problem.by = {"place", "horizon"};
  for (const char* horizon : {"all", "10", "9", "-1", "nan", "1.5", ""}) {
    problem.rounds.push_back({problem.series.size(), 1, 1, "1", "", 0, {}});
    problem.series.push_back({"north", horizon});
  }
  std::vector<std::string> values;
  for (const auto& one : rounds_by_value(problem)) values.push_back(one.value);
  EXPECT_EQ(values, (std::vector<std::string>{"north", "-1", "1.5", "9", "10", "", "all", "nan"}));
}

TEST(LevelGroups, OneColumnHasNoGroupsBesideTheSeries) {
  EXPECT_TRUE(rounds_by_value(test::problem_of(test::made_up_rows(3, 6, 3, 2))).empty());
}

TEST(LevelGroups, AValueWhoseRoundsAreAllKnownAlreadyIsLeftOut) {
  LevelProblem problem = test::places_and_horizons(test::made_up_rows(3, 12, 4, 3));
  std::erase_if(problem.rounds,
                [&](const auto& round) { return problem.series[round.series][1] == "9"; });
  for (const auto& one : rounds_by_value(problem)) EXPECT_NE(one.value, "9");
}

TEST(CentralIntervals, ThoseNearestToWhatPeopleAskForAreShownOnce) {
  const auto usual = [](std::vector<double> intervals) { return usual_intervals(intervals); };
  using Which = std::vector<std::size_t>;
  EXPECT_EQ(usual({0.98, 0.95, 0.9, 0.8, 0.5, 0.1}), (Which{4, 3, 1}));
  EXPECT_EQ(usual({0.9, 0.5}), (Which{1, 0}));
  EXPECT_EQ(usual({0.8}), (Which{0}));
  EXPECT_EQ(usual({}), Which{});
}

}  // namespace
}  // namespace pcgs::compare
