#include "run/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pcgs/oracle.h"
#include "pcgs/registry.h"
#include "reference/switching.h"
#include "research/suite.h"
#include "run/made_up.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

Problem problem_of(std::size_t rounds, std::size_t experts) {
  Problem problem;
  problem.origin = "example";
  problem.values = suite::generate("switch", rounds, experts, 4).losses;
  for (std::size_t k = 0; k < experts; ++k) problem.experts.push_back("e" + std::to_string(k));
  return problem;
}

// Counts rounds and methods.
class Counter final : public RunObserver, private TraceSink {
 public:
  TraceSink* begin(const Problem& /*problem*/, const MethodResult& method, const Aggregator& player,
                   const Hindsight* hindsight) override {
    names.push_back(method.name);
    specs.push_back(player.method().name());
    rounds.push_back(0);
    totals.push_back(0);
    oracle = hindsight->oracle(hindsight->switches());
    return this;
  }
  void end() override { ++ended; }

  std::vector<std::string> names, specs;
  std::vector<std::size_t> rounds;
  std::vector<double> totals;
  double oracle = 0;
  std::size_t ended = 0;

 private:
  void record(const TraceRow& row) override {
    ++rounds.back();
    totals.back() += row.round.mixture_loss;
  }
};

ComparisonOptions options_with(std::vector<RunObserver*> observers) {
  ComparisonOptions options;
  options.methods = {"fixed-share", "hedge*", "guard", "ml-poly"};
  options.switches = {2, 5};
  options.observers = std::move(observers);
  return options;
}

TEST(OnePass, EveryObserverSeesEveryRoundOfEveryMethodOnce) {
  const Problem problem = problem_of(130, 5);
  Counter first, second;
  const Comparison played = play_methods(problem, options_with({&first, &second}));
  for (const Counter* counter : {&first, &second}) {
    EXPECT_EQ(counter->names,
              (std::vector<std::string>{"fixed-share", "hedge*", "guard", "ml-poly"}));
    EXPECT_EQ(counter->rounds, std::vector<std::size_t>(4, 130));
    EXPECT_EQ(counter->ended, 4U);
    EXPECT_EQ(counter->oracle, played.oracle.back());
    for (std::size_t m = 0; m < 4; ++m) {
      EXPECT_EQ(counter->totals[m], played.methods[m].total_loss) << played.methods[m].name;
    }
  }
  // Of a starred method the one that was chosen is observed.
  EXPECT_EQ(first.specs[1], make_method(played.methods[1].chosen, 5)->name());
}

TEST(OnePass, ObserversChangeNothingButTime) {
  const Problem problem = problem_of(90, 4);
  Counter counter;
  const Comparison bare = play_methods(problem, options_with({}));
  const Comparison watched = play_methods(problem, options_with({&counter}));
  ASSERT_EQ(bare.methods.size(), watched.methods.size());
  EXPECT_EQ(bare.oracle, watched.oracle);
  for (std::size_t m = 0; m < bare.methods.size(); ++m) {
    const MethodResult &a = bare.methods[m], &b = watched.methods[m];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.chosen, b.chosen);
    EXPECT_EQ(a.total_loss, b.total_loss);
    EXPECT_EQ(a.regret, b.regret);
    EXPECT_EQ(a.next_weights, b.next_weights);
    ASSERT_EQ(a.certificate.has_value(), b.certificate.has_value());
    if (a.certificate) {
      EXPECT_EQ(a.certificate->bound, b.certificate->bound);
    }
  }
}

TEST(OnePass, TheAggregatorThatResumesPlaysOnce) {
  const Problem problem = problem_of(70, 4);
  ComparisonOptions options;
  options.methods = {"genshare"};
  options.switches = {3};
  Aggregator kept = make_player(problem, "genshare", true);
  Aggregator alone = make_player(problem, "genshare", true);
  for (int part = 1; part <= 2; ++part) {
    const double before = kept.total_loss();
    const Comparison played = play_methods(problem, options, &kept);
    for (std::size_t t = 0; t < problem.rounds(); ++t) alone.learn(problem.values.row(t));
    EXPECT_EQ(kept.rounds(), 70 * part);
    EXPECT_EQ(kept.save_bytes(), alone.save_bytes());
    // Losses are those of the rounds played here.
    EXPECT_NEAR(played.methods[0].total_loss, kept.total_loss() - before, 1e-12);
    ASSERT_TRUE(played.methods[0].certificate);
    EXPECT_EQ(played.methods[0].certificate->bound, kept.certificate()->certificate().bound);
  }
}

TEST(OnePass, AdvanceAddsUpToTheRoundsToPlay) {
  const Problem problem = problem_of(75, 3);
  Counter counter;
  for (const auto& observers : {std::vector<RunObserver*>{}, std::vector<RunObserver*>{&counter}}) {
    ComparisonOptions options = options_with(observers);
    std::size_t told = 0;
    options.advance = [&](std::size_t rounds) { told += rounds; };
    play_methods(problem, options);
    EXPECT_EQ(told, rounds_to_play(problem, options));
  }
}

TEST(OnePass, ANameThatIsShownKeepsWhatWasPlayed) {
  const Problem problem = problem_of(40, 3);
  ComparisonOptions options;
  options.methods = {"hedge{eta=2}", "boa"};
  options.shown_as = {"hedge (tuned)", ""};
  options.switches = {1};
  const Comparison played = play_methods(problem, options);
  EXPECT_EQ(played.methods[0].name, "hedge (tuned)");
  EXPECT_EQ(played.methods[0].spec(), "hedge{eta=2}");
  EXPECT_EQ(played.methods[1].name, "boa");
}

// Forecasts of a line by experts that are beside it, some asleep.
Problem forecasts_of(std::size_t rounds) {
  Problem problem = problem_of(rounds, 3);
  for (std::size_t t = 0; t < rounds; ++t) {
    problem.outcomes.push_back(static_cast<double>(t % 17) / 4);
    for (double& x : problem.values.row(t)) x += problem.outcomes.back();
    if (t % 11 == 3) problem.values.row(t)[1] = std::numeric_limits<double>::quiet_NaN();
  }
  return problem;
}

ComparisonOptions only(const std::string& method) {
  ComparisonOptions options;
  options.methods = {method};
  options.switches = {1};
  options.keep_weights = true;
  return options;
}

TEST(Weights, AreThoseThatTheLoopPlays) {
  Problem with_side = problem_of(60, 4);
  with_side.side = Matrix(60, 2);
  for (const Problem& problem : {forecasts_of(60), problem_of(60, 4), with_side}) {
    const Comparison played = play_methods(problem, only("fixed-share"));
    Aggregator loop = make_player(problem, "fixed-share");
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      const auto weights = played.methods[0].weights.row(t);
      if (!problem.has_forecasts()) {
        EXPECT_TRUE(std::ranges::equal(loop.weights(), weights));
        loop.learn(problem.values.row(t));
        continue;
      }
      loop.predict(problem.values.row(t));
      EXPECT_TRUE(std::ranges::equal(loop.played(loop.last_opened()), weights));
      loop.learn(problem.outcomes[t]);
    }
  }
}

TEST(Weights, OfAStarredMethodAreThoseOfItsBestCandidate) {
  const Problem problem = problem_of(50, 3);
  const Comparison starred = play_methods(problem, only("hedge*"));
  const Comparison chosen = play_methods(problem, only(starred.methods[0].chosen));
  EXPECT_EQ(starred.methods[0].weights.values, chosen.methods[0].weights.values);
}

TEST(KnownAt, SaysWhatBlocksAndDelaysSay) {
  for (const auto& [block, delay] :
       {std::pair<std::size_t, std::size_t>{1, 0}, {7, 0}, {1, 4}, {5, 3}}) {
    Problem problem = forecasts_of(80);
    problem.block = block;
    problem.delay = delay;
    const Comparison by_block = play_methods(problem, only("blend"));
    std::vector<std::size_t> known;
    for (std::size_t t = 0; t < problem.rounds(); ++t) known.push_back(problem.known_before(t));
    problem.known_at = known;
    problem.block = 1;
    problem.delay = 0;
    const Comparison by_round = play_methods(problem, only("blend"));
    EXPECT_EQ(by_block.methods[0].forecasts, by_round.methods[0].forecasts);
  }
}

TEST(KnownAt, NoForecastKnowsWhatHappenedLater) {
  Problem problem = forecasts_of(60);
  for (std::size_t t = 0; t < 60; ++t) problem.known_at.push_back(t < 20 ? t / 2 : t - t % 3);
  const Comparison before = play_methods(problem, only("blend"));
  const std::size_t changed = 31;
  for (std::size_t t = changed; t < 60; ++t) problem.outcomes[t] += 3;
  const Comparison after = play_methods(problem, only("blend"));
  for (std::size_t t = 0; t < 60; ++t) {
    if (problem.known_at[t] > changed) break;
    EXPECT_EQ(before.methods[0].forecasts[t], after.methods[0].forecasts[t]);
  }
  EXPECT_NE(before.methods[0].forecasts, after.methods[0].forecasts);
}

TEST(KnownAt, ComingRoundsKnowNoMoreEither) {
  Problem problem = forecasts_of(60);
  for (std::size_t t = 0; t < 60; ++t) problem.known_at.push_back(t - t % 6);
  for (std::size_t t = 57; t < 60; ++t)
    problem.outcomes[t] = std::numeric_limits<double>::quiet_NaN();
  ComparisonOptions options = only("blend");
  options.intervals = IntervalOptions{};
  const Comparison before = play_methods(problem, options);
  for (std::size_t t = 54; t < 57; ++t) problem.outcomes[t] += 3;
  const Comparison after = play_methods(problem, options);
  EXPECT_EQ(before.methods[0].forecasts, after.methods[0].forecasts);
  for (std::size_t t = 57; t < 60; ++t) {
    EXPECT_TRUE(std::ranges::equal(before.methods[0].intervals->low.row(t),
                                   after.methods[0].intervals->low.row(t)));
    EXPECT_TRUE(std::ranges::equal(before.methods[0].intervals->high.row(t),
                                   after.methods[0].intervals->high.row(t)));
  }
  // Whoever goes on knows them all the same.
  EXPECT_NE(before.methods[0].next_weights, after.methods[0].next_weights);
  // One that knows them says so.
  problem.known_at[59] = 57;
  const Comparison knowing = play_methods(problem, options);
  EXPECT_EQ(knowing.methods[0].forecasts[58], after.methods[0].forecasts[58]);
  EXPECT_NE(knowing.methods[0].forecasts[59], after.methods[0].forecasts[59]);
}

}  // namespace

// What is measured from the weights of every round: movement, and losses before they were capped.

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
  const Matrix losses = learned_losses(problem).scaled;
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

namespace {

TEST(Hindsight, KnowsTheOracleOfEveryPrefix) {
  const auto losses = suite::generate("mix", 97, 5, 1).losses;
  const Hindsight hindsight(losses, 4, 10);
  std::size_t ends = 0;
  for (std::size_t t = 0; t < losses.rows; ++t) {
    if (!hindsight.ends_stretch(t)) continue;
    const auto prefix =
        switching_oracle(MatrixView{losses.values.data(), t + 1, losses.columns}, 4);
    EXPECT_EQ(hindsight.frontier(ends++), prefix);
    if (t + 1 == losses.rows) {
      EXPECT_EQ(hindsight.oracle(2), prefix[2]);
      EXPECT_EQ(Hindsight(losses, 4, 0).oracle(4), prefix[4]);
    }
  }
  EXPECT_EQ(ends, hindsight.stretches());
}

TEST(Hindsight, OfNoRoundIsZero) {
  const Hindsight hindsight(Matrix(0, 3), 4, 10);
  EXPECT_EQ(hindsight.oracle(4), 0);
  EXPECT_FALSE(hindsight.has_path());
}

TEST(Hindsight, AllowsMoreSwitchesThanThereAreRounds) {
  const auto losses = suite::generate("mix", 5, 3, 1).losses;
  EXPECT_EQ(Hindsight(losses, 100, 2).oracle(100), switching_oracle(losses, 100).back());
}

}  // namespace

}  // namespace pcgs::compare
