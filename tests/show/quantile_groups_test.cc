// Scores of series and of what they share, beside slow sums over the rounds.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "reference/levels.h"
#include "run/level_rows.h"
#include "run/quantiles.h"
#include "show/run_result.h"

namespace pcgs::results {
namespace {

using Scores = QuantileResult::Scores;

struct Played {
  QuantileProblem problem;
  Matrix published;
  QuantileResult result;
};

Played played(QuantileProblem problem) {
  QuantilePanel panel({problem.levels});
  Matrix published = compare::play_quantiles(problem, panel).published;
  QuantileResult result = quantile_result(problem, panel, published);
  return {std::move(problem), std::move(published), std::move(result)};
}

QuantileProblem made_up() { return test::places_and_horizons(test::made_up_rows(11, 40, 4, 4)); }

double score(const QuantileProblem& problem, std::span<const double> quantiles, double outcome) {
  return reference::weighted_interval_score(problem.levels, quantiles, outcome);
}

// What everybody said in a round has all levels, so that the mean needs nothing filled in.
std::vector<double> mean_of(const QuantileProblem& problem, const QuantileProblem::Round& round) {
  std::vector<double> out(problem.levels.size());
  for (const auto& one : round.forecasts) {
    for (std::size_t p = 0; p < out.size(); ++p) {
      out[p] += problem.quantiles.row(one.row)[p] / static_cast<double>(round.forecasts.size());
    }
  }
  return out;
}

struct SlowSums {
  double rounds = 0, score = 0, above = 0, below = 0, held = 0, mean = 0;
  // By expert: rounds, its score, the combination's on the same rounds.
  std::map<std::string, std::array<double, 3>> experts;
};

SlowSums slow_sums(const Played& run,
                   const std::function<bool(const QuantileProblem::Round&)>& in) {
  SlowSums sums;
  const auto& problem = run.problem;
  for (std::size_t t = 0; t < problem.rounds.size(); ++t) {
    const auto& round = problem.rounds[t];
    if (!in(round) || std::isnan(round.outcome)) continue;
    const auto said = run.published.row(t);
    const double y = round.outcome, paid = score(problem, said, y);
    ++sums.rounds;
    sums.score += paid;
    sums.mean += score(problem, mean_of(problem, round), y);
    sums.held += said[0] <= y && y <= said[4];
    // Levels below the median err by lying above what happened, and the other way round; the pinball
    // loss of such a miss beyond the width of its interval is the whole distance.
    for (std::size_t p = 0; p < said.size(); ++p) {
      const double weight = p == 2 ? 0.5 : 1;
      if (p <= 2 && said[p] > y) sums.above += 2 * weight * (said[p] - y) / 5;
      if (p >= 2 && said[p] < y) sums.below += 2 * weight * (y - said[p]) / 5;
    }
    for (const auto& one : round.forecasts) {
      auto& of_expert = sums.experts[problem.experts[one.expert]];
      of_expert[0] += 1;
      of_expert[1] += score(problem, problem.quantiles.row(one.row), y);
      of_expert[2] += paid;
    }
  }
  return sums;
}

const QuantileResult::Other& other(const Scores& scores, const std::string& name) {
  for (const auto& one : scores.others) {
    if (one.name == name) return one;
  }
  throw std::runtime_error(name + " is missing");
}

void expect_slow(const Scores& scores, const SlowSums& slow, const std::string& of) {
  SCOPED_TRACE(of);
  ASSERT_TRUE(scores.score && scores.shape && scores.beside_best);
  const double n = slow.rounds;
  EXPECT_NEAR(*scores.score, slow.score / n, 1e-9);
  EXPECT_EQ(static_cast<double>(scores.shape->rounds), n);
  EXPECT_EQ(scores.scored(), scores.shape->rounds);
  EXPECT_NEAR(*scores.shape->above, slow.above / n, 1e-9);
  EXPECT_NEAR(*scores.shape->below, slow.below / n, 1e-9);
  EXPECT_NEAR(*scores.shape->width + *scores.shape->above + *scores.shape->below, slow.score / n,
              1e-9);
  EXPECT_EQ(scores.shape->held.by_name.front().first, "0.8");
  EXPECT_NEAR(scores.shape->held.by_name.front().second, slow.held / n, 1e-12);
  const auto& mean = other(scores, "equal-weight quantile mean");
  EXPECT_NEAR(*mean.score, slow.mean / n, 1e-9);
  EXPECT_NEAR(*mean.difference, 100 * (slow.score / slow.mean - 1), 1e-9);
  EXPECT_EQ(scores.others.front().name, "equal-weight linear pool");

  std::string best;
  double highest = 0;
  for (const auto& [name, sums] : slow.experts) {
    if (2 * sums[0] < n || sums[2] / sums[1] <= highest) continue;
    highest = sums[2] / sums[1];
    best = name;
  }
  EXPECT_EQ(scores.beside_best->name, best);
  EXPECT_NEAR(scores.beside_best->difference, 100 * (highest - 1), 1e-9);
  const auto& model = other(scores, best);
  EXPECT_EQ(static_cast<double>(model.rounds), slow.experts.at(best)[0]);
  EXPECT_NEAR(*model.score, slow.experts.at(best)[1] / slow.experts.at(best)[0], 1e-9);
}

TEST(QuantileGroups, HaveTheScoresOfTheirRounds) {
  QuantileProblem problem = made_up();
  for (std::size_t t = 0; t < problem.rounds.size(); t += 5) {
    problem.rounds[t].outcome = std::nan("");
  }
  const Played run = played(std::move(problem));
  ASSERT_EQ(run.result.series.size(), 4u);
  std::size_t rounds = 0;
  for (const auto& one : run.result.series) {
    const auto of_series = [&](const auto& round) {
      return run.problem.series[round.series] == one.key;
    };
    expect_slow(one.scores, slow_sums(run, of_series), one.key[0] + one.key[1]);
    rounds += one.scores.rounds;
  }
  EXPECT_EQ(rounds, run.result.rounds);
  std::vector<std::string> names;
  for (const auto& one : run.result.values) {
    names.push_back(one.column + " " + one.value);
    const auto column = static_cast<std::size_t>(one.column == "horizon");
    const auto of_value = [&](const auto& round) {
      return run.problem.series[round.series][column] == one.value;
    };
    expect_slow(one.scores, slow_sums(run, of_value), names.back());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"place X", "place Y", "horizon 9", "horizon 10"}));
  const SlowSums all = slow_sums(run, [](const auto&) { return true; });
  EXPECT_EQ(static_cast<double>(run.result.answer.errors[0].rounds), all.rounds);
  EXPECT_NEAR(*run.result.answer.errors[0].loss, all.score / all.rounds, 1e-9);
  EXPECT_NEAR(run.result.shapes[0].held.by_name[0].second, all.held / all.rounds, 1e-12);
}

TEST(QuantileGroups, WithoutAnOutcomeHaveNoScore) {
  QuantileProblem problem = made_up();
  for (auto& round : problem.rounds) {
    if (problem.series[round.series][1] == "9") round.outcome = std::nan("");
  }
  const QuantileResult result = played(std::move(problem)).result;
  for (const auto& one : result.values) {
    EXPECT_GT(one.scores.rounds, 0u);
    EXPECT_EQ(one.scores.score.has_value(), one.value != "9");
    EXPECT_EQ(one.scores.others.empty(), one.value == "9");
  }
  const std::string text = quantile_table(result, "hub.csv");
  EXPECT_NE(text.find("\nhorizon  rounds "), text.npos) << text;
  EXPECT_NE(text.find("\n9 "), text.npos) << text;
}

TEST(QuantileGroups, OfSomeNumberArePrintedAndOfMoreItIsSaidWhereTheyAre) {
  QuantileResult result = played(made_up()).result;
  const auto printed = [&](std::size_t series) {
    result.series.resize(series, result.series.front());
    return quantile_table(result, "hub.csv");
  };
  EXPECT_NE(printed(12).find("\nplace  horizon  rounds"), std::string::npos);
  EXPECT_EQ(printed(12).find("--report have them"), std::string::npos);
  const std::string many = printed(13);
  EXPECT_EQ(many.find("\nplace  horizon  rounds"), many.npos);
  EXPECT_NE(many.find("scores of 13 of place, horizon: --json, --out and --report have them"),
            many.npos);
  EXPECT_NE(many.find("\nhorizon  rounds"), many.npos);
}

}  // namespace
}  // namespace pcgs::results
