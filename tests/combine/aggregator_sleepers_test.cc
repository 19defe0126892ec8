// Sleeping experts (docs/internals/mathematics.md).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "pcgs/aggregator.h"
#include "reference/shares.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"
#include "support/recording_controller.h"

namespace pcgs {
namespace {

using test::all_near;
using test::copy;
using test::on_simplex;
using test::Random;
using test::same_bits;
using test::SeenRounds;
using test::share_aggregator;

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

TEST(AggregatorSleepers, KeepTheirWeightRelativeToEachOther) {
  Random random(1);
  Aggregator aggregator = share_aggregator(5, 3, 0);
  aggregator.learn(random.losses(5));
  const std::vector<double> before = copy(aggregator.weights());
  for (int t = 0; t < 20; ++t) {
    aggregator.learn(aggregator.open(std::vector<std::uint8_t>{1, 0, 1, 0, 0}), random.losses(5));
  }
  const auto after = aggregator.weights();
  EXPECT_NEAR(after[1] / after[3], before[1] / before[3], 1e-12);
  EXPECT_NEAR(after[1] / after[4], before[1] / before[4], 1e-12);
  EXPECT_GT(std::abs(after[0] / after[2] - before[0] / before[2]), 1e-3) << "the awake did learn";
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

TEST(AggregatorSleepers, WhoAgreeAreBelievedThoughOthersSleep) {
  Random random(3);
  Aggregator aggregator = share_aggregator(9, 20, 0);
  for (int t = 0; t < 100; ++t) {
    std::vector<double> forecasts(9, 1);
    const std::vector<std::uint8_t> awake = random.awake(9, 0.5);
    for (std::size_t k = 0; k < 9; ++k) {
      if (awake[k] == 0) forecasts[k] = kNan;
    }
    ASSERT_NEAR(aggregator.predict(forecasts), 1, 1e-15) << "round " << t;
    aggregator.learn(aggregator.last_opened(), 1.0);
    aggregator.learn(random.losses(9));
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
