#include "run/read_levels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <tuple>

#include "run/level_rows.h"
#include "support/expect.h"
#include "support/temp_dir.h"

namespace pcgs::compare {
namespace {

using test::LevelRow;

class ReadLevels : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return dir_ / name;
  }
  static LevelColumns columns() {
    LevelColumns out;
    out.pattern = "q*";
    out.outcome = "cases";
    out.time = "week";
    out.expert = "model";
    out.known = "known";
    out.by = {"place"};
    return out;
  }
  std::string refusal(const std::string& text, const LevelColumns& columns) const {
    return test::error_of([&] { read_levels(file("bad.csv", text), columns); });
  }
  test::TempDir dir_;
};

// What each cell says, however the problem orders it.
using Cells = std::map<std::tuple<std::string, std::string, std::string>,
                       std::tuple<std::vector<double>, double, std::string>>;

Cells cells_of(const LevelProblem& problem) {
  Cells out;
  for (const auto& round : problem.rounds) {
    for (const auto& one : round.forecasts) {
      const auto row = problem.quantiles.row(one.row);
      out[{problem.series[round.series].at(0), round.time_text, problem.experts[one.expert]}] = {
          {row.begin(), row.end()}, round.outcome, round.known_text};
    }
  }
  return out;
}

Cells cells_of(const std::vector<LevelRow>& rows) {
  Cells out;
  for (const auto& row : rows) {
    out[{row.place, test::date_of(row.week), row.model}] = {row.quantiles, row.cases,
                                                            test::date_of(row.week + row.ahead)};
  }
  return out;
}

TEST_F(ReadLevels, HoldsEveryRowInWhateverOrderTheyAre) {
  test::Random random(3);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto rows = test::made_up_rows(seed, 12, 3, 4);
    const Cells expected = cells_of(rows);
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    const auto problem = read_levels(file("a.csv", test::level_csv(rows)), columns());
    EXPECT_EQ(cells_of(problem), expected);
    for (std::size_t t = 1; t < problem.rounds.size(); ++t) {
      ASSERT_LE(problem.rounds[t - 1].time, problem.rounds[t].time);
    }
    EXPECT_EQ(problem.levels,
              std::vector<double>(std::begin(test::kLevelsOfRows), std::end(test::kLevelsOfRows)));
  }
}

TEST_F(ReadLevels, OutcomesMayBeInAFileOfTheirOwn) {
  const auto rows = test::made_up_rows(1, 12, 3, 4);
  auto with_file = columns();
  with_file.outcome_file = file("y.csv", test::outcome_csv(rows));
  const auto problem = read_levels(file("a.csv", test::level_csv(rows, false)), with_file);
  EXPECT_EQ(cells_of(problem), cells_of(rows));
}

TEST_F(ReadLevels, AnOutcomeThatTheOtherFileLacksIsNotKnown) {
  const auto rows = test::made_up_rows(1, 4, 1, 2);
  auto with_file = columns();
  with_file.outcome_file = file(
      "y.csv", "week,place,cases\n" + test::date_of(0) + ",p0,7\n" + test::date_of(1) + ",p0,\n");
  const auto problem = read_levels(file("a.csv", test::level_csv(rows, false)), with_file);
  ASSERT_EQ(problem.rounds.size(), 4u);
  EXPECT_EQ(problem.rounds[0].outcome, 7);
  for (std::size_t t = 1; t < 4; ++t) EXPECT_TRUE(std::isnan(problem.rounds[t].outcome)) << t;
}

TEST_F(ReadLevels, ColumnsOfLevelsAreFoundByTheirPatternAndPutInOrder) {
  auto other = columns();
  other.pattern = "at * level";
  other.known.clear();
  other.by.clear();
  const auto problem = read_levels(
      file("a.csv", "at 0.9 level,week,model,at 0.1 level,at x level,cases\n3,1,a,1,nonsense,2\n"),
      other);
  EXPECT_EQ(problem.levels, (std::vector<double>{0.1, 0.9}));
  EXPECT_EQ(problem.columns, (std::vector<std::string>{"at 0.1 level", "at 0.9 level"}));
  EXPECT_EQ(problem.quantiles.values, (std::vector<double>{1, 3}));
  ASSERT_EQ(problem.series.size(), 1u);
  EXPECT_TRUE(problem.series[0].empty());
  EXPECT_EQ(problem.rounds[0].known, problem.rounds[0].time);
}

TEST_F(ReadLevels, MissingQuantilesAreMissing) {
  auto other = columns();
  other.known.clear();
  const auto problem =
      read_levels(file("a.csv", "week,place,model,q0.1,q0.5,cases\n1,a,x,,2,3\n"), other);
  EXPECT_TRUE(std::isnan(problem.quantiles.row(0)[0]));
  EXPECT_EQ(problem.quantiles.row(0)[1], 2);
}

TEST_F(ReadLevels, WhatCannotBeReadIsNamed) {
  const std::string good = "week,place,known,model,q0.1,q0.9,cases\n";
  auto star = columns();
  star.pattern = "q";
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,3\n", star), "one *"));
  star.pattern = "z*";
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,3\n", star), "z*"));
  EXPECT_TRUE(test::mentions(
      refusal("week,place,known,model,q0.1,q90,cases\n1,a,1,x,1,2,3\n", columns()), "q90"));
  EXPECT_TRUE(test::mentions(
      refusal("week,place,known,model,q0.1,q0.10,cases\n1,a,1,x,1,2,3\n", columns()), "q0.10"));
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,3\n1,a,1,x,1,2,3\n", columns()),
                             "row 2: x forecasts 1 a second time"));
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,3\n1,a,1,y,1,2,4\n", columns()),
                             "row 2: the outcome of 1 is 4 here and 3"));
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,3\n1,a,2,y,1,2,3\n", columns()),
                             "row 2: known is 2 here and 1"));
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,,1,2,3\n", columns()), "row 1, column model"));
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,\n", columns()), "cases is empty"));
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,2026-01-01,x,1,2,3\n", columns()), "both"));
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,two,3\n", columns()), "column q0.9"));
  auto missing = columns();
  missing.by = {"county"};
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,3\n", missing), "county"));
  auto nobody = columns();
  nobody.expert.clear();
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,3\n", nobody), "--expert-column"));
  auto never = columns();
  never.time.clear();
  EXPECT_TRUE(test::mentions(refusal(good + "1,a,1,x,1,2,3\n", never), "--time"));
}

TEST_F(ReadLevels, OutcomesThatDoNotBelongAreRefused) {
  const std::string good = "week,place,known,model,q0.1,q0.9\n1,a,1,x,1,2\n";
  auto with_file = columns();
  with_file.outcome_file = file("y.csv", "time,cases\n1,3\n");
  EXPECT_TRUE(test::mentions(refusal(good, with_file), "no column that"));
  with_file.outcome_file = file("y.csv", "week,cases\n2,3\n");
  EXPECT_TRUE(test::mentions(refusal(good, with_file), "matched by the texts of week"));
  with_file.outcome_file = file("y.csv", "week,cases\n1,3\n1,4\n");
  EXPECT_TRUE(test::mentions(refusal(good, with_file), "row 2: the outcome is 4 here and 3"));
  with_file.outcome_file = file("y.csv", "week,deaths\n1,3\n");
  EXPECT_TRUE(test::mentions(refusal(good, with_file), "cases"));
}

}  // namespace
}  // namespace pcgs::compare
