// The two verbs, with losses and with forecasts.
#include "pcgs/aggregator.h"

#include <gtest/gtest.h>

#include <cmath>
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

TEST(Aggregator, ExpertsThatAgreeAreBelieved) {
  Random random(5);
  for (std::size_t experts = 1; experts <= 20; ++experts) {
    Aggregator aggregator = share_aggregator(experts, 5, 0.01);
    for (int t = 0; t < 30; ++t) {
      const std::vector<double> all_say_one(experts, 1);
      ASSERT_NEAR(aggregator.predict(all_say_one), 1, 1e-15) << experts << " experts, round " << t;
      aggregator.abandon(aggregator.last_opened());
      aggregator.learn(random.losses(experts));
    }
  }
  Aggregator three = share_aggregator(3, 1, 0);
  EXPECT_NEAR(three.predict(std::vector<double>{1, 1, 1}), 1, 1e-15);
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

TEST(Aggregator, LookingChangesNothing) {
  Aggregator aggregator = share_aggregator(3, 2, 0.1);
  aggregator.learn(std::vector<double>{0.1, 0.9, 0.4});
  const std::vector<double> weights = copy(aggregator.weights());
  const auto bytes = aggregator.save_bytes();
  EXPECT_TRUE(same_bits(aggregator.weights(), weights));
  EXPECT_EQ(aggregator.save_bytes(), bytes);
  aggregator.predict(std::vector<double>{1, 2, 3});
  EXPECT_TRUE(same_bits(aggregator.weights(), weights)) << "an open round teaches nothing";
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

}  // namespace
}  // namespace pcgs
