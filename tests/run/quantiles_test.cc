#include "run/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "combine/quantile_levels.h"
#include "run/level_rows.h"
#include "run/made_up.h"
#include "run/resume.h"
#include "support/expect.h"

namespace pcgs::compare {
namespace {

TEST(LevelGroups, EveryRoundIsInOneSeriesAndInOneValueOfEachColumn) {
  const QuantileProblem problem = test::places_and_horizons(test::made_up_rows(3, 12, 4, 3));
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
  QuantileProblem problem;
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
  QuantileProblem problem = test::places_and_horizons(test::made_up_rows(3, 12, 4, 3));
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

namespace {

using test::LevelRow;
using test::problem_of;

TEST(LevelPlay, ForecastsDependOnlyOnOutcomesThatAreKnownBeforeThem) {
  const auto rows = test::made_up_rows(5, 24, 3, 4);
  QuantileProblem before = problem_of(rows);
  QuantilePanel panel({before.levels});
  const Matrix published = play_quantiles(before, panel).published;
  for (const std::size_t moved : {3u, 20u, 41u}) {
    QuantileProblem other = problem_of(rows);
    other.rounds[moved].outcome += 60;
    QuantilePanel another({other.levels});
    const Matrix changed = play_quantiles(other, another).published;
    bool any = false;
    for (std::size_t t = 0; t < other.rounds.size(); ++t) {
      const bool may_know = other.rounds[moved].known < other.rounds[t].time;
      const bool same = static_cast<bool>(test::same_bits(published.row(t), changed.row(t)));
      EXPECT_TRUE(may_know || same) << "round " << t << " knew the outcome of " << moved;
      any = any || !same;
    }
    EXPECT_TRUE(any) << "nobody learned from round " << moved;
  }
}

TEST(LevelPlay, RoundsWithoutAnOutcomeAreForecastAndStayOpen) {
  const auto rows = test::made_up_rows(2, 10, 2, 3);
  QuantileProblem problem = problem_of(rows);
  problem.rounds[4].outcome = std::nan("");
  QuantilePanel panel({problem.levels});
  const QuantilePlay play = play_quantiles(problem, panel);
  EXPECT_FALSE(std::isnan(play.published.row(4)[0]));
  EXPECT_TRUE(std::ranges::any_of(play.note.open, [](const auto& one) { return one.round == 5; }));
}

TEST(LevelPlay, AStateOfOtherColumnsIsRefused) {
  const auto rows = test::made_up_rows(2, 6, 2, 3);
  QuantileProblem problem = problem_of(rows);
  QuantilePanel panel({problem.levels});
  EXPECT_TRUE(test::mentions(test::error_of([&] { resumed_note(panel, problem, "s"); }),
                             "was not saved by"));
  RunNote note = play_quantiles(problem, panel).note;
  leave_note(panel, note);
  const auto objection = [&](const auto& change) {
    QuantileProblem other = problem_of(rows);
    change(other);
    const auto refusal = test::refusal_of([&] { resumed_note(panel, other, "s"); });
    EXPECT_EQ(refusal.kind, ErrorKind::kMismatch);
    return refusal.place.field;
  };
  EXPECT_EQ(objection([](auto& p) { p.time = "day"; }), "time");
  EXPECT_EQ(objection([](auto& p) { p.by.clear(); }), "series");
  EXPECT_EQ(objection([](auto& p) { p.known.clear(); }), "known");
  EXPECT_EQ(objection([](auto& p) { p.outcome = "dead"; }), "outcome");
  EXPECT_EQ(objection([](auto& p) { p.levels.pop_back(); }), "quantiles");
  EXPECT_EQ(resumed_note(panel, problem, "s"), note);
  note.open.pop_back();
  leave_note(panel, note);
  EXPECT_TRUE(
      test::mentions(test::error_of([&] { resumed_note(panel, problem, "s"); }), "other rounds"));
}

// ---- Scores -------------------------------------------------------------------------------------

std::vector<std::size_t> all_rounds(const QuantileProblem& problem) {
  std::vector<std::size_t> out(problem.rounds.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

TEST(LevelScores, AreMeansOverTheRoundsOfEachForecaster) {
  const auto rows = test::made_up_rows(9, 20, 3, 4);
  QuantileProblem problem = problem_of(rows);
  QuantilePanel panel({problem.levels});
  const Matrix published = play_quantiles(problem, panel).published;
  const levels::Levels levels(problem.levels);
  for (const QuantileScale scale : {QuantileScale::kRaw, QuantileScale::kLog1p}) {
    const auto on_scale = [&](double x) {
      return scale == QuantileScale::kLog1p ? std::log1p(x) : x;
    };
    const auto score = [&](std::span<const double> quantiles, double y) {
      double sum = 0;
      for (std::size_t i = 0; i < levels.size(); ++i) {
        const double beyond = on_scale(y) - on_scale(quantiles[i]);
        sum += 2 * (beyond > 0 ? levels[i] * beyond : (levels[i] - 1) * beyond);
      }
      return sum / static_cast<double>(levels.size());
    };
    const Errors errors = errors_of(problem, published, scale, all_rounds(problem));
    ASSERT_EQ(errors.all.size(), 1 + 3 + problem.experts.size());
    EXPECT_EQ(errors.all[0].own.rounds(), problem.rounds.size());
    for (const ForecastError& one : errors.all) {
      if (one.kind == ForecastError::Kind::kReference) continue;
      double own = 0, combined = 0;
      std::size_t rounds = 0;
      for (std::size_t t = 0; t < problem.rounds.size(); ++t) {
        const auto& round = problem.rounds[t];
        const double paid = score(published.row(t), round.outcome);
        if (one.kind == ForecastError::Kind::kMethod) {
          own += paid;
          combined += paid;
          ++rounds;
        }
        for (const auto& forecast : round.forecasts) {
          if (problem.experts[forecast.expert] != one.name) continue;
          own += score(problem.quantiles.row(forecast.row), round.outcome);
          combined += paid;
          ++rounds;
        }
      }
      EXPECT_EQ(one.own.rounds(), rounds) << one.name;
      EXPECT_NEAR(one.own.of_levels().score, own, 1e-9 * own) << one.name;
      EXPECT_NEAR(one.combined.of_levels().score, combined, 1e-9 * combined) << one.name;
      const LevelSums& sums = one.own.of_levels();
      EXPECT_NEAR(sums.width + sums.above + sums.below, own, 1e-9 * own);
    }
    std::size_t counted = 0;
    for (const std::size_t n : errors.between) counted += n;
    EXPECT_EQ(counted, problem.rounds.size());
  }
}

TEST(LevelScores, ThoseOfSeriesAddUp) {
  QuantileProblem problem = problem_of(test::made_up_rows(9, 20, 3, 4));
  QuantilePanel panel({problem.levels});
  const Matrix published = play_quantiles(problem, panel).published;
  const auto sums = [&](std::span<const std::size_t> rounds) {
    return errors_of(problem, published, QuantileScale::kRaw, rounds).all[0].own.of_levels();
  };
  double score = 0;
  std::size_t held = 0;
  for (const auto& rounds : rounds_by_series(problem)) {
    score += sums(rounds).score;
    held += sums(rounds).held[0];
  }
  EXPECT_NEAR(score, sums(all_rounds(problem)).score, 1e-9 * score);
  EXPECT_EQ(held, sums(all_rounds(problem)).held[0]);
  EXPECT_EQ(central_intervals(levels::Levels(problem.levels)).size(), 2u);
}

TEST(LevelScores, WithoutAnOutcomeThereAreNone) {
  QuantileProblem problem = problem_of(test::made_up_rows(9, 5, 1, 2));
  for (auto& round : problem.rounds) round.outcome = std::nan("");
  QuantilePanel panel({problem.levels});
  const Matrix published = play_quantiles(problem, panel).published;
  const auto errors = errors_of(problem, published, QuantileScale::kRaw, all_rounds(problem));
  EXPECT_EQ(errors.all[0].own.rounds(), 0u);
  EXPECT_FALSE(errors.best_expert || errors.beside_best || errors.beside_equal);
}

}  // namespace

}  // namespace pcgs::compare
