#include "run/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "pcgs/registry.h"
#include "research/suite.h"

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
class Counter final : public Observer, private TraceSink {
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

ComparisonOptions options_with(std::vector<Observer*> observers) {
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
  for (const auto& observers : {std::vector<Observer*>{}, std::vector<Observer*>{&counter}}) {
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

TEST(Weights, OfForecastsAreThoseThatTheLoopPlays) {
  const Problem problem = forecasts_of(60);
  const Comparison played = play_methods(problem, only("boa"));
  Aggregator loop = make_player(problem, "boa");
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    loop.predict(problem.values.row(t));
    const auto weights = played.methods[0].weights.row(t);
    EXPECT_TRUE(std::ranges::equal(loop.played(loop.last_opened()), weights));
    loop.learn(problem.outcomes[t]);
  }
}

TEST(Weights, OfLossesAreThoseThatTheLoopPlays) {
  Problem problem = problem_of(60, 4);
  for (const bool with_side : {false, true}) {
    if (with_side) problem.side = Matrix(problem.rounds(), 2);
    const Comparison played = play_methods(problem, only("fixed-share"));
    Aggregator loop = make_player(problem, "fixed-share");
    for (std::size_t t = 0; t < problem.rounds(); ++t) {
      EXPECT_TRUE(std::ranges::equal(loop.weights(), played.methods[0].weights.row(t)));
      loop.learn(problem.values.row(t));
    }
  }
}

TEST(Weights, ThatNobodyKeptArePlayedAgain) {
  for (const Problem& problem : {forecasts_of(50), problem_of(50, 3)}) {
    const Comparison kept = play_methods(problem, only("boa"));
    ComparisonOptions options = only("boa");
    options.keep_weights = false;
    const Comparison bare = play_methods(problem, options);
    EXPECT_EQ(bare.methods[0].weights.rows, 0u);
    EXPECT_EQ(weights_of(problem, bare.methods[0]).values, kept.methods[0].weights.values);
  }
}

TEST(PlayedOnce, PublishesWhatTwoPassesDo) {
  for (Problem problem : {forecasts_of(50), problem_of(50, 3)}) {
    const std::optional<IntervalOptions> intervals =
        problem.has_forecasts() ? std::optional<IntervalOptions>(IntervalOptions{}) : std::nullopt;
    ComparisonOptions options = only("boa");
    options.intervals = intervals;
    const MethodResult twice = play_methods(problem, options).methods[0];
    Aggregator aggregator = make_player(problem, "boa", false, intervals);
    std::size_t advanced = 0;
    const MethodResult once =
        play_once(problem, aggregator, [&](std::size_t rounds) { advanced += rounds; });
    EXPECT_EQ(once.forecasts, twice.forecasts);
    EXPECT_EQ(once.weights.values, twice.weights.values);
    EXPECT_EQ(once.next_weights, twice.next_weights);
    EXPECT_EQ(once.total_loss, twice.total_loss);
    ASSERT_EQ(once.intervals.has_value(), intervals.has_value());
    if (intervals) {
      EXPECT_EQ(once.intervals->levels, twice.intervals->levels);
      // Nobody knows an interval before there are errors: NaN.
      const auto& low = once.intervals->low.values;
      const auto& expected = twice.intervals->low.values;
      ASSERT_EQ(low.size(), expected.size());
      for (std::size_t i = 0; i < low.size(); ++i) {
        EXPECT_TRUE(low[i] == expected[i] || (low[i] != low[i] && expected[i] != expected[i]));
      }
    }
    EXPECT_EQ(advanced, problem.rounds());
    EXPECT_EQ(aggregator.rounds(), 50);
  }
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
}  // namespace pcgs::compare
