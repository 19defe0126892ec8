// What is measured from the weights of every round: movement, and losses before they were capped.
#include "run/played_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pcgs/registry.h"
#include "reference/switching.h"
#include "research/suite.h"
#include "run/comparison.h"
#include "run/made_up.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

using test::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::vector<std::string> kMethods = {"fixed-share", "ml-poly", "guard{learned=0}", "hedge*"};

ComparisonOptions options_for(std::vector<std::string> methods) {
  ComparisonOptions options;
  options.methods = std::move(methods);
  options.switches = {0, 4, 9};
  return options;
}

// Losses from 0 to 12, most of which are beyond the scale of 4.
Problem wide_problem() {
  Problem problem;
  problem.origin = "example";
  problem.values = suite::generate("heavy-tail", 160, 5, 4).losses;
  for (double& l : problem.values.values) l *= 12;
  for (int k = 0; k < 5; ++k) problem.experts.push_back("e" + std::to_string(k));
  problem.scale = LossScale::fixed(4);
  return problem;
}

TEST(UnclippedRegret, IsThatOfTheWeightsPlayed) {
  const Problem problem = wide_problem();
  const Comparison played = play_methods(problem, options_for(kMethods));
  const auto frontier = reference::switching_by_recursion(problem.values, 9);
  EXPECT_EQ(played.unclipped_oracle.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(played.unclipped_oracle[i], frontier[played.switches[i]], 1e-9);
  }
  for (const MethodResult& method : played.methods) {
    Aggregator aggregator = make_player(problem, method.spec());
    double expected = 0;
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      const auto row = problem.values.row(t);
      for (std::size_t k = 0; k < row.size(); ++k) expected += aggregator.weights()[k] * row[k];
      aggregator.learn(row);
    }
    ASSERT_TRUE(method.unclipped_loss) << method.name;
    EXPECT_NEAR(*method.unclipped_loss, expected, 1e-9) << method.name;
    EXPECT_GT(*method.unclipped_loss, 4 * method.total_loss) << "clipping took something off";
  }
}

TEST(UnclippedRegret, IsTheClippedOneTimesTheScaleWhereNothingWasClipped) {
  Problem problem = wide_problem();
  problem.scale = LossScale::fixed(16);  // a power of two: divisions are exact
  const Comparison played = play_methods(problem, options_for(kMethods));
  for (const MethodResult& method : played.methods) {
    EXPECT_NEAR(*method.unclipped_loss, 16 * method.total_loss, 1e-9) << method.name;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(played.unclipped_oracle[i], 16 * played.oracle[i], 1e-9);
  }
}

// What the oracle sums up is what methods learn, however it is bounded: a lone expert has no regret.
TEST(UnclippedRegret, OracleAndMethodsSeeLossesBoundedAlike) {
  for (const LossBound bound : {LossBound::kClip, LossBound::kCatoni}) {
    Problem problem = wide_problem();
    problem.scale = problem.scale.bounded_by(bound);
    Matrix alone(problem.rounds(), 1);
    for (std::size_t t = 0; t < alone.rows; ++t) alone.row(t)[0] = problem.values.row(t)[2];
    problem.values = alone;
    problem.experts = {"e"};
    const Comparison played = play_methods(problem, options_for({"fixed-share"}));
    EXPECT_NEAR(played.methods[0].regret[0], 0, 1e-9);
    EXPECT_NEAR(*played.methods[0].unclipped_loss, played.unclipped_oracle[0], 1e-9);
  }
}

TEST(UnclippedRegret, OfForecastsIsOfWhatWasPublished) {
  Random random(31);
  Problem problem = test::made_up_problem(150, 4, "squared", random);
  for (std::size_t t = 20; t < 60; ++t) problem.values.row(t)[1] = test::kAsleep;
  problem.outcomes[77] = std::nan("");
  for (double& x : problem.values.row(100)) x = test::kAsleep;
  const Comparison played = play_methods(problem, options_for({"fixed-share", "ml-poly"}));
  Matrix raw(0, 4);
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (t == 77 || t == 100) continue;
    for (std::size_t k = 0; k < 4; ++k) {
      const double x = problem.values.row(t)[k], error = x - problem.outcomes[t];
      raw.values.push_back(std::isnan(x) ? kInfinity : error * error);
    }
    ++raw.rows;
  }
  const auto frontier = reference::switching_by_recursion(raw, 9);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(played.unclipped_oracle[i], frontier[played.switches[i]], 1e-9);
  }
  for (const MethodResult& method : played.methods) {
    double expected = 0;
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      if (t != 77 && t != 100) expected += std::pow(method.forecasts[t] - problem.outcomes[t], 2);
    }
    EXPECT_NEAR(*method.unclipped_loss, expected, 1e-9);
  }
}

TEST(UnclippedRegret, IsNotThereWhereLossesCameInTheUnitInterval) {
  Problem problem = wide_problem();
  for (double& l : problem.values.values) l /= 12;
  problem.scale = LossScale();
  const Comparison played = play_methods(problem, options_for({"fixed-share"}));
  EXPECT_TRUE(played.unclipped_oracle.empty());
  EXPECT_FALSE(played.methods[0].unclipped_loss);
  EXPECT_FALSE(played.methods[0].movement);
  EXPECT_FALSE(played.switch_costs);
}

TEST(Movement, OfAPathAsWeightsIsOneForEverySwitch) {
  const Matrix nothing;
  PlayedWeights played(nothing);
  const std::size_t path[] = {2, 2, 0, 0, 0, 1, 2, 2};
  for (const std::size_t k : path) {
    std::vector<double> weights(3);
    weights[k] = 1;
    TraceRow row;
    row.played = weights;
    played.record(row);
  }
  EXPECT_EQ(played.movement(), 3);
}

TEST(Movement, IsHalfTheDistanceBetweenSuccessiveWeights) {
  Problem problem = wide_problem();
  ComparisonOptions options = options_for(kMethods);
  options.switch_cost = 0.75;
  const Comparison played = play_methods(problem, options);
  for (const MethodResult& method : played.methods) {
    Aggregator aggregator = make_player(problem, method.spec());
    double expected = 0;
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      const std::vector<double> before(aggregator.weights().begin(), aggregator.weights().end());
      aggregator.learn(problem.values.row(t));
      if (t + 1 == problem.rounds()) break;  // what it would play next was not played
      for (std::size_t k = 0; k < 5; ++k) {
        expected += std::abs(aggregator.weights()[k] - before[k]) / 2;
      }
    }
    ASSERT_TRUE(method.movement);
    EXPECT_NEAR(*method.movement, expected, 1e-9) << method.name;
    EXPECT_GT(expected, 0.1) << method.name;
  }
}

// With sleepers among the experts, and of the losses that methods learn from.
TEST(SwitchCosts, AreThoseOfTheReference) {
  Random random(32);
  Problem problem = test::made_up_problem(120, 4, "absolute", random);
  for (std::size_t t = 30; t < 50; ++t) problem.values.row(t)[2] = test::kAsleep;
  ComparisonOptions options = options_for({"fixed-share"});
  options.switch_cost = 0.05;
  const Comparison played = play_methods(problem, options);
  const Matrix losses = scaled_losses(problem);
  const auto frontier = reference::switching_by_recursion(losses, 119, 0.05);
  ASSERT_TRUE(played.switch_costs);
  EXPECT_EQ(played.switch_costs->cost, 0.05);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(played.switch_costs->oracle[i], frontier[played.switches[i]], 1e-12);
  }
  EXPECT_NEAR(played.switch_costs->unlimited, frontier.back(), 1e-12);
  EXPECT_GT(played.switch_costs->unlimited_switches, 0u);
}

TEST(SwitchCosts, ChangeNothingElse) {
  const Problem problem = wide_problem();
  ComparisonOptions options = options_for(kMethods);
  const Comparison without = play_methods(problem, options);
  options.switch_cost = 2;
  const Comparison with = play_methods(problem, options);
  EXPECT_EQ(with.oracle, without.oracle);
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    EXPECT_EQ(with.methods[m].total_loss, without.methods[m].total_loss);
    EXPECT_EQ(with.methods[m].regret, without.methods[m].regret);
    EXPECT_EQ(with.methods[m].unclipped_loss, without.methods[m].unclipped_loss);
  }
}

}  // namespace
}  // namespace pcgs::compare
