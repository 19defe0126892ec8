// The two verbs, with losses and with forecasts.
#include "pcgs/aggregator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "reference/shares.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"
#include "support/recording_controller.h"

namespace pcgs {
namespace {

using test::all_near;
using test::copy;
using test::Random;
using test::same_bits;
using test::SeenRounds;
using test::share_aggregator;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

TEST(Aggregator, LearnsFromLosses) {
  Random random(1);
  Aggregator aggregator = share_aggregator(5, 3, 0.05);
  reference::FixedShare slow(5, 3, 0.05);
  double total = 0;
  for (int t = 0; t < 100; ++t) {
    const std::vector<double> losses = random.losses(5);
    total += dot(aggregator.weights(), losses);
    aggregator.learn(losses);
    reference::play_losses(slow, losses, std::vector<std::uint8_t>(5, 1));
    ASSERT_TRUE(all_near(aggregator.weights(), slow.weights(), 1e-12)) << "round " << t;
  }
  EXPECT_EQ(aggregator.experts(), 5u);
  EXPECT_EQ(aggregator.rounds(), 100);
  EXPECT_NEAR(aggregator.total_loss(), total, 1e-12);
  EXPECT_EQ(aggregator.total_forecast_loss(), 0) << "there were no forecasts";
  EXPECT_EQ(aggregator.skipped(), 0);
  EXPECT_EQ(aggregator.open_rounds(), 0u);
}

TEST(Aggregator, LearnsFromForecasts) {
  Random random(2);
  Aggregator aggregator = share_aggregator(4, 2, 0.1, test::scaled(LossScale::unit()));
  reference::FixedShare slow(4, 2, 0.1);
  const std::vector<std::uint8_t> everybody(4, 1);
  double total = 0;
  double forecast_total = 0;
  for (int t = 0; t < 100; ++t) {
    const std::vector<double> forecasts = random.losses(4);
    const double outcome = random.uniform();
    for (std::size_t k = 0; k < 4; ++k) {
      total += aggregator.weights()[k] * std::pow(forecasts[k] - outcome, 2);
    }
    const double combined = aggregator.predict(forecasts);
    ASSERT_NEAR(combined, dot(aggregator.weights(), forecasts), 1e-15);
    forecast_total += (combined - outcome) * (combined - outcome);
    ASSERT_EQ(aggregator.open_rounds(), 1u);
    aggregator.learn(outcome);
    reference::play_forecasts(slow, forecasts, everybody, outcome);
    ASSERT_TRUE(all_near(aggregator.weights(), slow.weights(), 1e-12)) << "round " << t;
  }
  EXPECT_EQ(aggregator.rounds(), 100);
  EXPECT_NEAR(aggregator.total_loss(), total, 1e-12);
  EXPECT_NEAR(aggregator.total_forecast_loss(), forecast_total, 1e-12);
}

TEST(Aggregator, BothVerbsGiveTheSameWeights) {
  Random random(3);
  Aggregator by_losses = share_aggregator(6, 4, 0.02);
  Aggregator by_forecasts = share_aggregator(6, 4, 0.02, test::scaled(LossScale::unit()));
  for (int t = 0; t < 200; ++t) {
    const std::vector<double> forecasts = random.losses(6);
    const double outcome = random.uniform();
    std::vector<double> losses;
    for (double f : forecasts) losses.push_back((f - outcome) * (f - outcome));
    by_losses.learn(losses);
    by_forecasts.predict(forecasts);
    by_forecasts.learn(outcome);
    ASSERT_TRUE(same_bits(by_losses.weights(), by_forecasts.weights())) << "round " << t;
  }
  EXPECT_TRUE(same_bits(by_losses.total_loss(), by_forecasts.total_loss()));
}

TEST(Aggregator, LearningLossesIsOpeningAndClosing) {
  Random random(4);
  Aggregator at_once = share_aggregator(3, 2, 0.1);
  Aggregator in_two = share_aggregator(3, 2, 0.1);
  Aggregator with_mask = share_aggregator(3, 2, 0.1);
  const std::vector<std::uint8_t> everybody(3, 1);
  for (int t = 1; t <= 50; ++t) {
    const std::vector<double> losses = random.losses(3);
    at_once.learn(losses);
    in_two.learn(in_two.open(), losses);
    with_mask.learn(with_mask.open(everybody), losses);
    ASSERT_TRUE(same_bits(in_two.weights(), at_once.weights()));
    ASSERT_TRUE(same_bits(with_mask.weights(), at_once.weights()));
    ASSERT_EQ(at_once.last_opened(), t) << "a round learned at once has a number too";
    ASSERT_EQ(in_two.last_opened(), t);
  }
  EXPECT_TRUE(same_bits(in_two.total_loss(), at_once.total_loss()));
  EXPECT_EQ(in_two.rounds(), at_once.rounds());
}

TEST(Aggregator, ShowsTheControllerEveryFinishedRound) {
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(2, 1, 0, seen), test::scaled(LossScale::unit()));
  const std::vector<double> before = copy(aggregator.weights());
  aggregator.predict(std::vector<double>{0, 1}, std::vector<double>{3, 1, 4});
  EXPECT_TRUE(seen->empty()) << "an open round is nobody's business";
  aggregator.learn(0.25);
  ASSERT_EQ(seen->size(), 1u);
  const test::SeenRound& round = seen->back();
  EXPECT_EQ(round.number, 1);
  EXPECT_EQ(round.side, (std::vector<double>{3, 1, 4}));
  EXPECT_TRUE(all_near(round.losses, std::vector<double>{0.0625, 0.5625}, 1e-15));
  EXPECT_TRUE(same_bits(round.weights, before));
  EXPECT_NEAR(round.mixture_loss, 0.3125, 1e-15);
  EXPECT_NEAR(round.learner_loss, 0.0625, 1e-15) << "the combined forecast is 0.5";

  aggregator.learn(aggregator.open({}, std::vector<double>{9}), std::vector<double>{1, 0});
  ASSERT_EQ(seen->size(), 2u);
  EXPECT_EQ(seen->back().number, 2);
  EXPECT_EQ(seen->back().side, std::vector<double>{9});
  EXPECT_EQ(seen->back().learner_loss, seen->back().mixture_loss) << "there is no forecast";

  aggregator.learn(std::vector<double>{1, 0});
  EXPECT_TRUE(seen->back().side.empty());
  EXPECT_EQ(seen->back().number, 3);
}

TEST(Aggregator, JudgesForecastsByTheTaskLoss) {
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(2, 1, 0, seen),
                        {.task = TaskLoss("pinball", 0.75), .scale = LossScale::fixed(8)});
  aggregator.predict(std::vector<double>{10, 14});  // combined 12
  aggregator.learn(20);
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_TRUE(all_near(seen->back().losses, std::vector<double>{0.9375, 0.5625}, 1e-15));
  EXPECT_NEAR(seen->back().learner_loss, 0.75, 1e-15);
  EXPECT_NEAR(aggregator.total_loss(), 0.75, 1e-15);
  EXPECT_NEAR(aggregator.total_forecast_loss(), 6, 1e-14) << "before bounding";
}

TEST(Aggregator, ClipsWhatExceedsTheScale) {
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(2, 1, 0, seen), test::scaled(LossScale::fixed(4)));
  aggregator.learn(std::vector<double>{2, 40});
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_EQ(seen->back().losses, (std::vector<double>{0.5, 1}));
  EXPECT_NEAR(aggregator.total_loss(), 0.75, 1e-15);
}

TEST(Aggregator, CanBeMoved) {
  Aggregator first = share_aggregator(3, 2, 0.1);
  first.learn(std::vector<double>{0.1, 0.9, 0.4});
  const auto bytes = first.save_bytes();
  Aggregator second = std::move(first);
  EXPECT_EQ(second.save_bytes(), bytes);
  Aggregator third = share_aggregator(7, 1, 0);
  third = std::move(second);
  EXPECT_EQ(third.save_bytes(), bytes);
}

// Outcomes that come late: several rounds open, closed by number in any order.

TEST(AggregatorLate, NumbersRoundsFromOne) {
  Aggregator aggregator = share_aggregator(2, 1, 0);
  EXPECT_EQ(aggregator.last_opened(), 0);
  EXPECT_EQ(aggregator.open(), 1);
  aggregator.predict(std::vector<double>{0, 1});
  EXPECT_EQ(aggregator.last_opened(), 2);
  EXPECT_EQ(aggregator.open(), 3);
  EXPECT_EQ(aggregator.open_rounds(), 3u);
  aggregator.learn(2, 0.5);
  EXPECT_EQ(aggregator.open(), 4) << "numbers are not used twice";
  EXPECT_EQ(aggregator.open_rounds(), 3u);
}

TEST(AggregatorLate, UpdatesOnArrivalInWhateverOrder) {
  constexpr std::size_t kRounds = 12;
  Random random(1);
  Aggregator aggregator = share_aggregator(3, 2, 0.1);
  reference::LogShare slow(3);
  std::vector<std::vector<double>> losses;
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < kRounds; ++t) {
    ASSERT_EQ(aggregator.open(), static_cast<std::int64_t>(t + 1));
    losses.push_back(random.losses(3));
    order.push_back(t);
  }
  for (std::size_t i = kRounds - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  for (std::size_t t : order) {
    aggregator.learn(static_cast<std::int64_t>(t + 1), losses[t]);
    slow.step(losses[t], 2, 0.1);
    ASSERT_TRUE(all_near(aggregator.weights(), slow.weights(), 1e-12));
  }
  EXPECT_EQ(aggregator.open_rounds(), 0u);
  EXPECT_EQ(aggregator.rounds(), static_cast<std::int64_t>(kRounds));
}

TEST(AggregatorLate, RemembersWhatEachOpenRoundPlays) {
  Aggregator aggregator = share_aggregator(2, 3, 0);
  const std::vector<double> first = copy(aggregator.weights());
  const std::int64_t early = aggregator.open();
  aggregator.learn(std::vector<double>{0, 1});
  const std::vector<double> second = copy(aggregator.weights());
  const std::int64_t late = aggregator.open();
  aggregator.learn(std::vector<double>{0, 1});
  EXPECT_TRUE(all_near(aggregator.played(early), first, 1e-15));
  EXPECT_TRUE(all_near(aggregator.played(late), second, 1e-15));
  EXPECT_FALSE(all_near(aggregator.weights(), second, 1e-3));
}

TEST(AggregatorLate, ChargesTheWeightsThatWerePlayed) {
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(2, 3, 0, seen), {});
  const std::int64_t early = aggregator.open();
  for (int t = 0; t < 4; ++t) aggregator.learn(std::vector<double>{0, 1});
  const double total = aggregator.total_loss();
  const std::vector<double> now = copy(aggregator.weights());
  aggregator.learn(early, std::vector<double>{1, 0});
  EXPECT_NEAR(aggregator.total_loss() - total, 0.5, 1e-15) << "it played uniform";
  EXPECT_EQ(seen->back().number, 1);
  EXPECT_NEAR(seen->back().mixture_loss, 0.5, 1e-15);
  EXPECT_TRUE(same_bits(seen->back().weights, now)) << "but the update starts from today's weights";
}

TEST(AggregatorLate, CombinesEachForecastWhenItIsMade) {
  Aggregator aggregator = share_aggregator(2, 3, 0);
  const double combined = aggregator.predict(std::vector<double>{0, 1});
  const std::int64_t early = aggregator.last_opened();
  for (int t = 0; t < 4; ++t) aggregator.learn(std::vector<double>{0, 1});
  aggregator.learn(early, 0.0);
  EXPECT_NEAR(combined, 0.5, 1e-15);
  EXPECT_NEAR(aggregator.total_forecast_loss(), 0.25, 1e-15);
}

TEST(AggregatorLate, KeepsSideInformationAndSleepersOfEachRound) {
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(3, 1, 0, seen), {});
  const std::int64_t a =
      aggregator.open(std::vector<std::uint8_t>{1, 0, 1}, std::vector<double>{1, 2});
  const std::int64_t b = aggregator.open({}, std::vector<double>{3});
  const std::int64_t c = aggregator.open(std::vector<std::uint8_t>{0, 1, 1});
  aggregator.learn(c, std::vector<double>{0, 1, 1});
  aggregator.learn(a, std::vector<double>{1, 0, 1});
  aggregator.learn(b, std::vector<double>{0, 0, 1});
  ASSERT_EQ(seen->size(), 3u);
  EXPECT_EQ((*seen)[0].number, c);
  EXPECT_TRUE((*seen)[0].side.empty());
  EXPECT_EQ((*seen)[0].awake, (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ((*seen)[1].number, a);
  EXPECT_EQ((*seen)[1].side, (std::vector<double>{1, 2}));
  EXPECT_EQ((*seen)[1].awake, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ((*seen)[2].number, b);
  EXPECT_EQ((*seen)[2].side, std::vector<double>{3});
  EXPECT_TRUE((*seen)[2].awake.empty()) << "empty when everybody was awake";
}

TEST(AggregatorLate, ForgetsAnAbandonedRound) {
  Aggregator aggregator = share_aggregator(2, 1, 0.1);
  Aggregator undisturbed = share_aggregator(2, 1, 0.1);
  const std::int64_t lost = aggregator.open();
  const std::int64_t kept = aggregator.open();
  aggregator.abandon(lost);
  EXPECT_EQ(aggregator.open_rounds(), 1u);
  aggregator.learn(kept, std::vector<double>{0, 1});
  undisturbed.learn(std::vector<double>{0, 1});
  EXPECT_TRUE(same_bits(aggregator.weights(), undisturbed.weights()));
  EXPECT_EQ(aggregator.rounds(), 1);
  EXPECT_EQ(aggregator.skipped(), 0);
  EXPECT_TRUE(same_bits(aggregator.total_loss(), undisturbed.total_loss()));
  test::error_of([&] { aggregator.learn(lost, std::vector<double>{0, 1}); });
}

// Sleeping experts (docs/internals/mathematics.md).

using test::on_simplex;

const double kNan = std::nan("");

TEST(AggregatorSleepers, AreLeftOutOfTheForecast) {
  Aggregator aggregator = share_aggregator(4, 2, 0);
  aggregator.learn(std::vector<double>{0, 1, 0.5, 0.25});
  const std::vector<double> w = copy(aggregator.weights());
  const double awake = w[0] + w[2];
  const double combined = aggregator.predict(std::vector<double>{10, kNan, 20, kNan});
  EXPECT_NEAR(combined, (10 * w[0] + 20 * w[2]) / awake, 1e-14);
  EXPECT_TRUE(all_near(aggregator.played(aggregator.last_opened()),
                       std::vector<double>{w[0] / awake, 0, w[2] / awake, 0}, 1e-15));
  EXPECT_TRUE(same_bits(aggregator.weights(), w));
}

TEST(AggregatorSleepers, AreChargedTheLearnersOwnLoss) {
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(3, 2, 0, seen), test::scaled(LossScale::unit()));
  aggregator.predict(std::vector<double>{0, kNan, 1});
  aggregator.learn(0.0);
  ASSERT_EQ(seen->size(), 1u);
  const test::SeenRound& round = seen->back();
  EXPECT_EQ(round.awake, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_NEAR(round.mixture_loss, 0.5, 1e-15);
  EXPECT_NEAR(round.learner_loss, 0.25, 1e-15) << "(0.5 - 0)^2, not the mixture loss";
  EXPECT_TRUE(same_bits(round.losses, std::vector<double>{0, round.mixture_loss, 1}));
  EXPECT_NEAR(aggregator.total_loss(), 0.5, 1e-15);
  EXPECT_NEAR(aggregator.total_forecast_loss(), 0.25, 1e-15);
}

TEST(AggregatorSleepers, AMaskOfOnesMeansEverybody) {
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(2, 2, 0, seen), {});
  aggregator.learn(aggregator.open(std::vector<std::uint8_t>{1, 1}), std::vector<double>{0, 1});
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_TRUE(seen->back().awake.empty()) << "round.h: empty when everybody was";
}

TEST(AggregatorSleepers, MatchTheReferenceWithLosses) {
  for (std::size_t experts : {1u, 2u, 5u, 17u}) {
    Random random(experts);
    Aggregator aggregator = share_aggregator(experts, 4, 0.03);
    reference::FixedShare slow(experts, 4, 0.03);
    double total = 0;
    for (int t = 0; t < 200; ++t) {
      const std::vector<std::uint8_t> awake = random.awake(experts, 0.6);
      const std::vector<double> losses = random.losses(experts);
      const std::int64_t round = aggregator.open(awake);
      ASSERT_TRUE(all_near(aggregator.played(round), reference::played(slow, awake), 1e-12));
      std::vector<double> with_holes = losses;
      for (std::size_t k = 0; k < experts; ++k) {
        if (awake[k] == 0) with_holes[k] = k % 2 == 0 ? kNan : 1e300;  // must not be looked at
      }
      aggregator.learn(round, with_holes);
      total += reference::play_losses(slow, losses, awake);
      ASSERT_TRUE(all_near(aggregator.weights(), slow.weights(), 1e-12)) << "round " << t;
    }
    EXPECT_NEAR(aggregator.total_loss(), total, 1e-11);
  }
}

TEST(AggregatorSleepers, MatchTheReferenceWithForecasts) {
  for (std::size_t experts : {1u, 3u, 8u}) {
    Random random(10 + experts);
    Aggregator aggregator = share_aggregator(experts, 4, 0.03, test::scaled(LossScale::unit()));
    reference::FixedShare slow(experts, 4, 0.03);
    for (int t = 0; t < 200; ++t) {
      const std::vector<std::uint8_t> awake = random.awake(experts, 0.6);
      std::vector<double> forecasts = random.losses(experts);
      const double outcome = random.uniform();
      const double expected = reference::play_forecasts(slow, forecasts, awake, outcome);
      for (std::size_t k = 0; k < experts; ++k) {
        if (awake[k] == 0) forecasts[k] = kNan;
      }
      ASSERT_NEAR(aggregator.predict(forecasts), expected, 1e-12);
      aggregator.learn(outcome);
      ASSERT_TRUE(all_near(aggregator.weights(), slow.weights(), 1e-12)) << "round " << t;
    }
  }
}

TEST(AggregatorSleepers, ARoundWithNobodyAwakeIsSkippedAndReported) {
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(2, 2, 0.1, seen), {});
  aggregator.learn(std::vector<double>{0, 1});
  const std::vector<double> weights = copy(aggregator.weights());
  const double total = aggregator.total_loss();

  EXPECT_TRUE(std::isnan(aggregator.predict(std::vector<double>{kNan, kNan})));
  EXPECT_EQ(aggregator.open_rounds(), 1u);
  EXPECT_EQ(aggregator.skipped(), 0) << "not before it is closed";
  aggregator.learn(0.5);
  EXPECT_EQ(aggregator.skipped(), 1);

  aggregator.learn(aggregator.open(std::vector<std::uint8_t>{0, 0}), std::vector<double>{1, 1});
  EXPECT_EQ(aggregator.skipped(), 2);

  EXPECT_EQ(aggregator.rounds(), 1);
  EXPECT_EQ(aggregator.open_rounds(), 0u);
  EXPECT_EQ(aggregator.total_loss(), total);
  EXPECT_EQ(aggregator.total_forecast_loss(), 0);
  EXPECT_TRUE(same_bits(aggregator.weights(), weights));
  EXPECT_EQ(seen->size(), 1u) << "the controller is not shown a skipped round";
}

// Only the one who carries all the weight sleeps: 0/0 must not be played.
TEST(AggregatorSleepers, SomethingFeasibleIsPlayedWhenTheAwakeCarryNoWeight) {
  Aggregator aggregator = share_aggregator(4, 1000, 0);
  for (int t = 0; t < 5; ++t) aggregator.learn(std::vector<double>{0, 1, 1, 1});
  ASSERT_EQ(aggregator.weights()[1], 0);
  const double combined = aggregator.predict(std::vector<double>{kNan, 3, 3, kNan});
  EXPECT_NEAR(combined, 3, 1e-14);
  const std::vector<double> played = copy(aggregator.played(aggregator.last_opened()));
  EXPECT_TRUE(on_simplex(played));
  EXPECT_EQ(played[0], 0);
  EXPECT_EQ(played[3], 0);
}

TEST(AggregatorSleepers, TinyWeightsAreRenormalisedToOne) {
  for (int rounds = 68; rounds <= 75; ++rounds) {  // weights from exp(-680) down to denormals
    Aggregator aggregator = share_aggregator(4, 10, 0);
    for (int t = 0; t < rounds; ++t) aggregator.learn(std::vector<double>{0, 1, 1, 1});
    const std::int64_t round = aggregator.open(std::vector<std::uint8_t>{0, 1, 1, 1});
    EXPECT_TRUE(on_simplex(aggregator.played(round))) << rounds;
  }
}

}  // namespace

}  // namespace pcgs
