#include "run/rounds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "run/checks.h"
#include "run/level_rows.h"
#include "run/made_up.h"
#include "support/expect.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs::compare {
namespace {

using Names = std::vector<std::string>;
using test::Random;

Request forecasts_of(const std::string& outcome) {
  Request request;
  request.outcome = outcome;
  return request;
}

class Rounds : public ::testing::Test {
 protected:
  std::string file(const std::string& text, const std::string& name = "f.csv") const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return dir_ / name;
  }
  std::vector<Series> read(const std::string& text, const Request& request) const {
    return problems_of(read_table({file(text)}, request), request, {});
  }
  QuantileProblem read_quantiles(const TableFiles& files, const Request& request) const {
    return quantile_problem_of(read_table(files, request), request);
  }
  test::Refusal refused(const std::string& text, const Request& request) const {
    return test::refusal_of([&] {
      request.quantiles.empty() ? void(read(text, request))
                                : void(read_quantiles({file(text)}, request));
    });
  }

  const test::TempDir dir_;
};

// ---- Wide ---------------------------------------------------------------------------------------

TEST_F(Rounds, ModelsOutcomesTimesAndSideInformationAreToldApart) {
  Request request = forecasts_of("y");
  request.side = {"temperature"};
  request.ignore = {"comment"};
  const auto series =
      read("a,day,y,temperature,comment,b\n1,2026-03-01,2,20,x,3\n4,2026-03-02,,21,y,\n", request);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_TRUE(series[0].key.empty());
  const Problem& problem = series[0].problem;
  EXPECT_EQ(problem.experts, (Names{"a", "b"}));
  EXPECT_EQ(problem.rounds(), 2u);
  EXPECT_EQ(problem.values.row(0)[1], 3);
  EXPECT_TRUE(std::isnan(problem.values.row(1)[1]));
  EXPECT_EQ(problem.outcomes[0], 2);
  EXPECT_TRUE(std::isnan(problem.outcomes[1]));
  EXPECT_EQ(problem.known(), 1u);
  EXPECT_EQ(problem.side.row(1)[0], 21);
  ASSERT_TRUE(problem.times);
  EXPECT_EQ(problem.times->text.name, "day");
  EXPECT_TRUE(problem.times->calendar);
  EXPECT_EQ(problem.times->text[1], "2026-03-02");
  EXPECT_EQ(problem.file_row(1), 2u);

  Request named = forecasts_of("y");
  named.models = {"c", "a"};
  EXPECT_EQ(read("a,y,b,c\n1,2,text,3\n", named)[0].problem.experts, (Names{"c", "a"}));
}

TEST_F(Rounds, SeriesAreInTheOrderInWhichTheyAppear) {
  Request request = forecasts_of("y");
  request.series = {"store", "item"};
  request.time = "t";
  const auto series = read(
      "t,store,item,y,a,b\n1,2,milk,1,1,2\n1,10,milk,2,3,4\n2,10,milk,3,5,6\n1,2,bread,4,7,8\n2,2,"
      "milk,5,9,10\n",
      request);
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].key, (Names{"2", "milk"}));
  EXPECT_EQ(series[1].key, (Names{"10", "milk"}));
  EXPECT_EQ(series[2].key, (Names{"2", "bread"}));
  const Problem& first = series[0].problem;
  EXPECT_EQ(first.rows, (std::vector<std::size_t>{1, 5}));
  EXPECT_EQ(first.values.row(1)[1], 10);
  EXPECT_EQ(first.outcomes[1], 5);
  EXPECT_EQ(first.times->text[1], "2");
  EXPECT_EQ(series[2].problem.rows, (std::vector<std::size_t>{4}));
}

TEST_F(Rounds, AColumnHasOneRole) {
  const auto roles = [](const std::function<void(Request&)>& change) {
    Request request = forecasts_of("y");
    change(request);
    const auto refusal = test::refusal_of([&] { check_request(request); });
    EXPECT_EQ(refusal.kind, ErrorKind::kRequest);
    return std::pair(refusal.place.column, refusal.place.field);
  };
  using Place = std::pair<std::string, std::string>;
  EXPECT_EQ(roles([](Request& r) { r.time = "y"; }), Place("y", "time"));
  EXPECT_EQ(roles([](Request& r) { r.series = {"s", "s"}; }), Place("s", "series"));
  EXPECT_EQ(roles([](Request& r) { r.side = {"y"}; }), Place("y", "side"));
  EXPECT_EQ(roles([](Request& r) {
              r.series = {"s"};
              r.model_column = "s";
            }),
            Place("s", "series"));
}

TEST_F(Rounds, WhatIsNotThereIsNamed) {
  EXPECT_TRUE(test::mentions(refused("y,a\n1,2\n", forecasts_of("z")).sentence, "z"));
  EXPECT_EQ(refused("y\n1\n", forecasts_of("y")).kind, ErrorKind::kMissing);
  Table table{.names = {"a", "y"}, .values = Matrix(2, 2)};
  Request request = forecasts_of("z");
  EXPECT_EQ(test::refusal_of([&] { problems_of(table, request, {}); }).kind, ErrorKind::kUnknown);
  request = forecasts_of("y");
  request.time = "when";
  const auto refusal = test::refusal_of([&] { problems_of(table, request, {}); });
  EXPECT_EQ(refusal.place.column, "when");
  EXPECT_EQ(refusal.place.field, "time");
  table.outcomes = {1};
  EXPECT_EQ(test::refusal_of([&] { problems_of(table, forecasts_of("y"), {}); }).kind,
            ErrorKind::kMismatch);
}

// A forecast may have the name of an outcome that is no column.
TEST_F(Rounds, OutcomesMayStandBesideTheColumns) {
  Table table{.names = {"y", "b"}, .values = Matrix(3, 2)};
  table.values.values = {1, 2, 3, 4, 5, 6};
  table.outcomes = {7, 8, 9};
  const auto series = problems_of(table, forecasts_of("y"), {});
  EXPECT_EQ(series[0].problem.experts, (Names{"y", "b"}));
  EXPECT_EQ(series[0].problem.outcomes, table.outcomes);
  table.outcomes = {1, std::nan(""), 5};
  const auto refusal = test::refusal_of([&] { problems_of(table, forecasts_of("y"), {}); });
  EXPECT_EQ(refusal.kind, ErrorKind::kValue) << "the outcome itself, by name and by its values";
  EXPECT_EQ(refusal.place.column, "y");
}

// ---- Columns that are hardly forecasts ----------------------------------------------------------

// Three experts as they should be, of which the second becomes doubtful.
Problem with(std::size_t rounds, double (*column)(std::size_t t, double y)) {
  Random random(rounds);
  Problem problem = test::made_up_problem(rounds, 3, "squared", random);
  for (std::size_t t = 0; t < rounds; ++t) {
    problem.values.row(t)[1] = column(t, problem.outcomes[t]);
  }
  return problem;
}

double constant(std::size_t, double) { return 3; }
double counting(std::size_t t, double) { return 17.0 + static_cast<double>(t); }
double the_outcome(std::size_t, double y) { return y; }

TEST(DoubtfulColumns, AreRefusedByName) {
  for (const auto column : {&constant, &counting, &the_outcome}) {
    Problem problem = with(80, column);
    const auto refusal = test::refusal_of([&] { check_columns(problem, "load", false); });
    EXPECT_EQ(refusal.kind, ErrorKind::kValue);
    EXPECT_EQ(refusal.place.column, "e2");
    EXPECT_TRUE(test::mentions(refusal.sentence, "ignore"));
    // Who names the models may want a constant among them, but not what is forecast.
    if (column == &the_outcome) {
      EXPECT_THROW(check_columns(problem, "load", true), Error);
    } else {
      EXPECT_NO_THROW(check_columns(problem, "load", true));
    }
    // Holes and unknown outcomes are no excuse.
    if (column == &counting) continue;
    for (std::size_t t = 0; t < 80; t += 7) problem.values.row(t)[1] = test::kAsleep;
    for (std::size_t t = 3; t < 80; t += 9) {
      problem.outcomes[t] = test::kAsleep;
      if (column == &the_outcome) problem.values.row(t)[1] = 0;
    }
    EXPECT_THROW(check_columns(problem, "load", false), Error);
  }
}

TEST(DoubtfulColumns, OneRoundThatDiffersOrFewRoundsRemoveTheDoubt) {
  for (const auto column : {&constant, &counting, &the_outcome}) {
    for (const std::size_t t : {0u, 30u, 59u}) {
      Problem problem = with(60, column);
      problem.values.row(t)[1] += 0.25;
      EXPECT_NO_THROW(check_columns(problem, "y", false));
    }
    EXPECT_NO_THROW(check_columns(with(10, column), "y", false));
    // Nor are many rounds evidence in which it hardly ever forecasts.
    Problem problem = with(60, column);
    for (std::size_t t = 10; t < 60; ++t) problem.values.row(t)[1] = test::kAsleep;
    EXPECT_NO_THROW(check_columns(problem, "y", false));
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    EXPECT_NO_THROW(check_columns(test::made_up_problem(100, 4, "squared", random), "y", false));
  }
}

// ---- Rounds that were learned already -----------------------------------------------------------

Names hours(int count) {
  Names out;
  for (int hour = 0; hour < count; ++hour) out.push_back(fmt::format("2026-03-01 {:02}:00", hour));
  return out;
}

TEST(DroppedRounds, AreGoneFromEverything) {
  test::Random random(1);
  for (const bool with_rows : {false, true}) {
    Problem whole = test::made_up_problem(9, 3, "squared", random);
    whole.times = test::times(hours(9));
    whole.side = Matrix(9, 2);
    for (double& x : whole.side.values) x = random.uniform();
    whole.known_at = {0, 0, 1, 3, 3, 4, 6, 6, 8};
    if (with_rows) whole.rows = {3, 5, 6, 8, 9, 11, 20, 21, 22};
    for (std::size_t n = 0; n <= 9; ++n) {
      Problem dropped = whole;
      drop_first(dropped, n);
      ASSERT_EQ(dropped.rounds(), 9 - n);
      ASSERT_EQ(dropped.outcomes.size(), 9 - n);
      ASSERT_EQ(dropped.known_at.size(), 9 - n);
      ASSERT_EQ(dropped.times->at.size(), 9 - n);
      ASSERT_EQ(dropped.times->text.size(), 9 - n);
      EXPECT_EQ(dropped.times->text.name, "when");
      EXPECT_TRUE(dropped.times->calendar);
      for (std::size_t t = n; t < 9; ++t) {
        EXPECT_TRUE(test::same_bits(dropped.values.row(t - n), whole.values.row(t)));
        EXPECT_TRUE(test::same_bits(dropped.side.row(t - n), whole.side.row(t)));
        EXPECT_EQ(dropped.outcomes[t - n], whole.outcomes[t]);
        EXPECT_EQ(dropped.times->at[t - n], whole.times->at[t]);
        EXPECT_EQ(dropped.times->text[t - n], whole.times->text[t]);
        EXPECT_EQ(dropped.file_row(t - n), whole.file_row(t));
        EXPECT_EQ(dropped.known_at[t - n], whole.known_at[t] - std::min(n, whole.known_at[t]));
      }
    }
  }
}

// A series that a pool will forecast has no forecasts of its own yet.
TEST(DroppedRounds, AreGoneWithoutAnExpertToo) {
  Problem problem = test::empty_problem(9, 0);
  problem.times = test::times(hours(9));
  drop_first(problem, 4);
  EXPECT_EQ(problem.rounds(), 5u);
  EXPECT_EQ(problem.outcomes.size(), 5u);
  EXPECT_EQ(problem.times->at.size(), 5u);
}

// ---- Long ---------------------------------------------------------------------------------------

struct Line {
  std::string series;
  int time = 0;
  std::string model;
  double forecast = 0, outcome = 0;
};

std::string number(double x) { return std::isnan(x) ? "" : fmt::format("{}", x); }

std::string long_csv(const std::vector<Line>& lines) {
  std::string out = "s,t,model,f,y\n";
  for (const Line& line : lines) {
    out += fmt::format("{},{},{},{},{}\n", line.series, line.time, line.model,
                       number(line.forecast), number(line.outcome));
  }
  return out;
}

Request long_request(bool by_series) {
  Request request = forecasts_of("y");
  request.time = "t";
  request.model_column = "model";
  if (by_series) {
    request.series = {"s"};
  } else {
    request.ignore = {"s"};
  }
  return request;
}

TEST_F(Rounds, LongRowsAreTheSameRoundsInWhateverOrderTheyAre) {
  using Cells = std::map<std::tuple<std::string, double, std::string>, double>;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const bool by_series = seed % 2 == 0;
    const Names names = by_series ? Names{"x", "y", "z"} : Names{""}, models = {"b", "a", "c"};
    std::vector<Line> lines;
    Cells forecasts;
    std::map<std::pair<std::string, double>, double> outcomes;
    for (const auto& one : names) {
      for (int t = 0; t < 20; ++t) {
        const double y = random.chance(0.2) ? test::kAsleep : random.uniform(-1, 1);
        bool any = false;
        for (const auto& model : models) {
          if (random.chance(0.3)) continue;  // no row
          const double f = random.chance(0.1) ? test::kAsleep : random.uniform(-1, 1);
          // Some rows do not know the outcome.
          lines.push_back({one, t, model, f, random.chance(0.2) && any ? test::kAsleep : y});
          any = true;
          if (!std::isnan(f)) forecasts[{one, t, model}] = f;
        }
        if (any && !std::isnan(y)) outcomes[{one, t}] = y;
      }
    }
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
    Cells found;
    std::map<std::pair<std::string, double>, double> found_outcomes;
    Names seen_series, seen_models;
    for (const Line& line : lines) {
      for (auto [seen, name] : {std::pair{&seen_models, line.model}, {&seen_series, line.series}}) {
        if (std::ranges::find(*seen, name) == seen->end()) seen->push_back(name);
      }
    }
    const auto all = read(long_csv(lines), long_request(by_series));
    ASSERT_EQ(all.size(), seen_series.size());
    for (std::size_t s = 0; s < all.size(); ++s) {
      const Problem& problem = all[s].problem;
      EXPECT_EQ(problem.experts, seen_models);
      if (by_series) {
        EXPECT_EQ(all[s].key, (Names{seen_series[s]}));
      }
      for (std::size_t t = 0; t < problem.rounds(); ++t) {
        const double at = problem.times->at[t];
        if (t > 0) {
          EXPECT_LT(problem.times->at[t - 1], at);
        }
        if (!std::isnan(problem.outcomes[t])) {
          found_outcomes[{seen_series[s], at}] = problem.outcomes[t];
        }
        for (std::size_t k = 0; k < problem.experts.size(); ++k) {
          const double f = problem.values.row(t)[k];
          if (!std::isnan(f)) found[{seen_series[s], at, problem.experts[k]}] = f;
        }
        // Where the round stands in the file: its first row.
        const auto first = std::ranges::find_if(lines, [&](const Line& line) {
          return line.series == seen_series[s] && line.time == at;
        });
        EXPECT_EQ(problem.file_row(t), static_cast<std::size_t>(first - lines.begin()) + 1);
      }
    }
    EXPECT_EQ(found, forecasts) << "seed " << seed;
    EXPECT_EQ(found_outcomes, outcomes) << "seed " << seed;
  }
}

TEST_F(Rounds, LongRowsThatContradictEachOtherAreRefusedWithTheRow) {
  const std::vector<Line> lines = {
      {"x", 1, "a", 1, 1}, {"x", 2, "a", 1, 1}, {"y", 1, "a", 1, 1}, {"x", 1, "b", 1, 1}};
  EXPECT_EQ(refused(long_csv(lines), long_request(false)).place.row, 3u) << "a second time";
  EXPECT_EQ(read(long_csv(lines), long_request(true)).size(), 2u);
  auto twice = lines;
  twice.push_back({"y", 1, "a", 1, 1});
  EXPECT_EQ(refused(long_csv(twice), long_request(true)).place.row, 5u);
  auto differs = lines;
  differs[3].outcome = 8;
  EXPECT_EQ(refused(long_csv(differs), long_request(true)).place.row, 4u);
}

TEST_F(Rounds, WhatIsNotLongIsRefused) {
  const auto field = [&](const std::function<void(Request&)>& change) {
    Request request = long_request(true);
    change(request);
    return refused("s,t,model,f,y,g\nx,1,a,1,2,3\nx,2,a,1,2,3\n", request).place.field;
  };
  EXPECT_EQ(field([](Request& r) {
              r.time = "";
              r.ignore = {"t", "g"};
            }),
            "time");
  EXPECT_EQ(field([](Request&) {}), "models");
  EXPECT_EQ(field([](Request& r) { r.side = {"g"}; }), "side");
}

// ---- Quantiles ----------------------------------------------------------------------------------

// What each cell says, however the problem orders it.
using Cells = std::map<std::tuple<std::string, std::string, std::string>,
                       std::tuple<std::vector<double>, double, std::string>>;

Cells cells_of(const QuantileProblem& problem) {
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

Cells cells_of(const std::vector<test::LevelRow>& rows) {
  Cells out;
  for (const auto& row : rows) {
    out[{row.place, test::date_of(row.week), row.model}] = {row.quantiles, row.cases,
                                                            test::date_of(row.week + row.ahead)};
  }
  return out;
}

TEST_F(Rounds, QuantilesAreTheSameInWhateverOrderTheirRowsAre) {
  Random random(3);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto rows = test::made_up_rows(seed, 12, 3, 4);
    const Cells expected = cells_of(rows);
    for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
    const auto problem = read_quantiles({file(test::level_csv(rows))}, test::request_of_levels());
    EXPECT_EQ(cells_of(problem), expected);
    for (std::size_t t = 1; t < problem.rounds.size(); ++t) {
      ASSERT_LE(problem.rounds[t - 1].time, problem.rounds[t].time);
    }
    EXPECT_EQ(problem.levels,
              std::vector<double>(std::begin(test::kLevelsOfRows), std::end(test::kLevelsOfRows)));
  }
}

TEST_F(Rounds, OutcomesOfQuantilesMayBeInAFileOfTheirOwn) {
  const auto rows = test::made_up_rows(1, 12, 3, 4);
  const std::string table = file(test::level_csv(rows, false));
  const auto joined = [&](const std::string& outcomes) {
    return read_quantiles({table, file(outcomes, "y.csv")}, test::request_of_levels());
  };
  EXPECT_EQ(cells_of(joined(test::outcome_csv(rows))), cells_of(rows));
  // One that the other file lacks is not known.
  const auto problem = joined(
      fmt::format("week,place,cases\n{},p0,7\n{},p0,\n", test::date_of(0), test::date_of(1)));
  EXPECT_EQ(problem.rounds[0].outcome, 7);
  for (std::size_t t = 1; t < problem.rounds.size(); ++t) {
    EXPECT_TRUE(std::isnan(problem.rounds[t].outcome)) << t;
  }
  for (const char* outcomes : {"time,cases\n1,3\n", "week,cases\n2,3\n", "week,deaths\n1,3\n"}) {
    EXPECT_THROW(joined(outcomes), Error) << outcomes;
  }
  const auto refusal = test::refusal_of([&] { joined("week,cases\n1,3\n1,4\n"); });
  EXPECT_EQ(refusal.place.row, 2u);
  EXPECT_TRUE(refusal.place.file.ends_with("y.csv"));
}

TEST_F(Rounds, ColumnsOfQuantilesAreFoundByTheirPatternAndPutInOrder) {
  Request other = test::request_of_levels();
  other.quantiles = "at * level";
  other.known.clear();
  other.series.clear();
  const auto problem = read_quantiles(
      {file("at 0.9 level,week,model,at 0.1 level,at x level,cases\n3,1,a,,nonsense,2\n")}, other);
  EXPECT_EQ(problem.levels, (std::vector<double>{0.1, 0.9}));
  EXPECT_EQ(problem.columns, (Names{"at 0.1 level", "at 0.9 level"}));
  EXPECT_TRUE(std::isnan(problem.quantiles.row(0)[0]));
  EXPECT_EQ(problem.quantiles.row(0)[1], 3);
  ASSERT_EQ(problem.series.size(), 1u);
  EXPECT_TRUE(problem.series[0].empty());
  EXPECT_EQ(problem.rounds[0].known, problem.rounds[0].time);
}

TEST_F(Rounds, QuantilesThatCannotBeReadAreRefusedWithTheirPlace) {
  const std::string good = "week,place,known,model,q0.1,q0.9,cases\n";
  const std::string row = "1,a,1,x,1,2,3\n";
  const auto pattern = [&](const std::string& text) {
    Request request = test::request_of_levels();
    request.quantiles = text;
    return refused(good + row, request).place.field;
  };
  EXPECT_EQ(pattern("q"), "quantiles");
  EXPECT_EQ(pattern("z*"), "quantiles");
  const auto column = [&](const std::string& text) {
    return refused(text, test::request_of_levels()).place.column;
  };
  EXPECT_EQ(column("week,place,known,model,q0.1,q90,cases\n" + row), "q90");
  EXPECT_EQ(column("week,place,known,model,q0.1,q0.10,cases\n" + row), "q0.10");
  EXPECT_EQ(column(good + "1,a,1,,1,2,3\n"), "model");
  EXPECT_EQ(column(good + "1,a,1,x,1,2,\n"), "cases");
  EXPECT_EQ(column(good + "1,a,2026-01-01,x,1,2,3\n"), "known");
  for (const char* second : {"1,a,1,x,1,2,3\n", "1,a,1,y,1,2,4\n", "1,a,2,y,1,2,3\n"}) {
    EXPECT_EQ(refused(good + row + second, test::request_of_levels()).place.row, 2u) << second;
  }
}

}  // namespace
}  // namespace pcgs::compare
