// Losses without a known range: the scale that follows them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "pcgs/aggregator.h"
#include "support/expect.h"
#include "support/options.h"
#include "support/random.h"
#include "support/recording_controller.h"

namespace pcgs {
namespace {

using test::copy;
using test::Random;
using test::same_bits;
using test::SeenRounds;
using test::share_aggregator;

using Numbers = std::vector<double>;

constexpr std::size_t kExperts = 4;

Numbers raw_losses(Random& random) {
  Numbers losses = random.losses(kExperts);
  for (double& l : losses) l *= 50;
  return losses;
}

TEST(AggregatorScale, LearnsFromTheFirstRoundOn) {
  Aggregator aggregator = share_aggregator(2, 2, 0.1);
  const Numbers first = copy(aggregator.weights());
  aggregator.predict(Numbers{50, 60});
  aggregator.learn(100.0);
  EXPECT_EQ(aggregator.rounds(), 1);
  EXPECT_LT(aggregator.weights()[0], first[0]);
  EXPECT_GT(aggregator.weights()[1], first[1]);
}

// A scale that is found while playing costs the same in every round, however long it has been: nothing
// waits for it, nothing is kept for it and no round is learned twice.
TEST(AggregatorScale, TakesWorkInProportionToTheRounds) {
  Random random(6);
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(kExperts, 2, 0.1, seen),
                        test::scaled(LossScale::following()));
  aggregator.learn(raw_losses(random));
  const std::size_t size = aggregator.save_bytes().size();
  for (std::size_t t = 2; t <= 3000; ++t) {
    aggregator.learn(raw_losses(random));
    ASSERT_EQ(seen->size(), t) << "each round is learned when it comes, and once";
    ASSERT_EQ(seen->back().number, static_cast<std::int64_t>(t));
    if (t % 500 == 0) {
      ASSERT_EQ(aggregator.save_bytes().size(), size) << "nothing is kept";
    }
  }
}

TEST(AggregatorScale, ShowsMethodsTheLossesDividedByItsScale) {
  Random random(1);
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(kExperts, 2, 0.1, seen),
                        test::scaled(LossScale::following()));
  LossScale expected = LossScale::following();
  std::int64_t capped = 0;
  for (std::size_t t = 0; t < 100; ++t) {
    Numbers losses = raw_losses(random);
    if (t % 10 == 3) losses[t % kExperts] = 1e6;
    aggregator.learn(losses);
    const double c = expected.advance(losses, {}, LossSource::kGiven);
    ASSERT_EQ(seen->size(), t + 1);
    EXPECT_EQ((*seen)[t].scale, c);
    for (std::size_t k = 0; k < kExperts; ++k) {
      ASSERT_EQ((*seen)[t].losses[k], scaled_loss(losses[k], c));
    }
    capped += *std::max_element(losses.begin(), losses.end()) > c ? 1 : 0;
  }
  EXPECT_EQ(aggregator.capped(), capped);
  EXPECT_EQ(capped, 10);
}

TEST(AggregatorScale, ShowsMethodsTheLossesAsTheyAreBounded) {
  Random random(3);
  auto seen = std::make_shared<SeenRounds>();
  const LossScale scale = LossScale::fixed(40).bounded_by(LossBound::kCatoni);
  Aggregator aggregator(test::recording_method(kExperts, 2, 0.1, seen), test::scaled(scale));
  std::int64_t capped = 0;
  for (std::size_t t = 0; t < 60; ++t) {
    Numbers losses = raw_losses(random);
    if (t % 10 == 3) losses[t % kExperts] = 1e300;
    if (t % 10 == 4) losses[t % kExperts] = 50;  // beyond the scale, and still less than 1
    aggregator.learn(losses);
    for (std::size_t k = 0; k < kExperts; ++k) {
      ASSERT_EQ((*seen)[t].losses[k], catoni_bounded(losses[k] / 40));
    }
    capped += *std::max_element(losses.begin(), losses.end()) > scale.counts_as_one(40) ? 1 : 0;
  }
  EXPECT_EQ(aggregator.capped(), capped);
  aggregator.predict(Numbers{1, 2, 3, 4});
  aggregator.learn(9.0);
  EXPECT_EQ(seen->back().losses[0], catoni_bounded(64.0 / 40));
  EXPECT_EQ(seen->back().losses[3], catoni_bounded(25.0 / 40));
  EXPECT_LT(seen->back().learner_loss, 1);
}

TEST(AggregatorScale, AFixedScaleGivesWhatDividedLossesGive) {
  Random random(2);
  Aggregator scaled = share_aggregator(kExperts, 2, 0.1, test::scaled(LossScale::fixed(32)));
  Aggregator unit = share_aggregator(kExperts, 2, 0.1);
  for (int t = 0; t < 40; ++t) {
    Numbers losses = raw_losses(random);
    scaled.learn(losses);
    for (double& l : losses) l = std::min(l / 32, 1.0);
    unit.learn(losses);
  }
  EXPECT_TRUE(same_bits(scaled.weights(), unit.weights()));
  EXPECT_TRUE(same_bits(scaled.total_loss(), unit.total_loss()));
}

// In the order of arrival: the scale of a late round knows what came before it.
TEST(AggregatorScale, WorksWithForecastsSleepersAndLateOutcomes) {
  const double nan = std::nan("");
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(kExperts, 2, 0.1, seen),
                        test::scaled(LossScale::following()));
  aggregator.predict(Numbers{1, nan, 3, 4});               // round 1
  aggregator.open(std::vector<std::uint8_t>{1, 1, 0, 0});  // round 2
  aggregator.predict(Numbers{nan, 2, nan, 6});             // round 3
  aggregator.learn(3, 0.0);                                // losses 4 and 36
  aggregator.learn(2, Numbers{5, 7, nan, 1e9});            // a sleeper's entry does not count
  aggregator.learn(1, 2.0);                                // losses 1, 1, 4
  ASSERT_EQ(seen->size(), 3u);
  EXPECT_EQ((*seen)[0].scale, 20 * 36.0) << "the upper of two";
  EXPECT_EQ((*seen)[1].scale, 20 * 36.0);
  EXPECT_EQ((*seen)[2].scale, 20 * (36 + 7) / 2.0);
  EXPECT_NEAR((*seen)[2].learner_loss, (aggregator.total_forecast_loss() - 16) / 430, 1e-15)
      << "the forecast of round 3 was the mean, 4, and lost 16";
}

TEST(AggregatorScale, TheSameAggregatorTakesLossesInTheUnitIntervalAndForecasts) {
  Aggregator aggregator = share_aggregator(2, 2, 0.1);
  aggregator.learn(Numbers{0.5, 1});
  test::error_of([&] { aggregator.learn(Numbers{0.5, 1.5}); });
  aggregator.predict(Numbers{100, 200});
  aggregator.learn(150.0);
  EXPECT_EQ(aggregator.rounds(), 2);
  EXPECT_NEAR(aggregator.total_loss(), 0.75 + 1.0 / 20, 1e-12);
}

TEST(AggregatorScale, ResumesAtAnyRound) {
  for (std::size_t stop = 0; stop <= 5; ++stop) {
    Random random(4);
    const auto scale =
        LossScale::following().bounded_by(stop % 2 == 0 ? LossBound::kClip : LossBound::kCatoni);
    Aggregator straight = share_aggregator(kExperts, 2, 0.1, test::scaled(scale));
    Aggregator resumed = share_aggregator(kExperts, 2, 0.1, test::scaled(scale));
    for (std::size_t t = 0; t < 20; ++t) {
      if (t == stop) {
        resumed = Aggregator::load_bytes(resumed.save_bytes(), "memory", test::recording_factory);
      }
      const Numbers losses = raw_losses(random);
      straight.learn(losses);
      resumed.learn(losses);
      ASSERT_TRUE(same_bits(straight.weights(), resumed.weights())) << stop << ", round " << t;
    }
    EXPECT_EQ(straight.save_bytes(), resumed.save_bytes());
  }
}

TEST(AggregatorScale, RoundsWithoutAnyLossAreLearned) {
  Aggregator aggregator = share_aggregator(kExperts, 2, 0.1, test::scaled(LossScale::following()));
  aggregator.learn(Numbers(kExperts, 0));
  EXPECT_EQ(aggregator.rounds(), 1);
  EXPECT_EQ(aggregator.total_loss(), 0);
  aggregator.learn(Numbers{1, 2, 3, 4});
  EXPECT_TRUE(test::on_simplex(aggregator.weights()));
  EXPECT_NEAR(aggregator.total_loss(), 2.5 / 60, 1e-15);
}

}  // namespace
}  // namespace pcgs
