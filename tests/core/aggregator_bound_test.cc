// Losses without a known range: the automatic scale and its warm-up.
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

constexpr std::size_t kWarmup = 6;
constexpr std::size_t kExperts = 4;

Numbers raw_losses(Random& random) {
  Numbers losses = random.losses(kExperts);
  for (double& l : losses) l *= 50;
  return losses;
}

TEST(AggregatorBound, PlaysItsFirstWeightsUntilTheScaleIsKnown) {
  Random random(1);
  auto seen = std::make_shared<SeenRounds>();
  Aggregator aggregator(test::recording_method(kExperts, 2, 0.1, seen),
                        test::bounded(Bound::automatic(kWarmup)));
  const Numbers first = copy(aggregator.weights());
  for (std::size_t t = 1; t <= kWarmup; ++t) {
    ASSERT_FALSE(aggregator.bound().is_known());
    ASSERT_TRUE(same_bits(aggregator.weights(), first)) << "round " << t;
    ASSERT_EQ(aggregator.rounds(), 0);
    ASSERT_EQ(aggregator.total_loss(), 0);
    aggregator.learn(raw_losses(random));
  }
  EXPECT_TRUE(aggregator.bound().is_known());
  EXPECT_EQ(aggregator.rounds(), static_cast<std::int64_t>(kWarmup));
  EXPECT_GT(aggregator.total_loss(), 0);
  EXPECT_FALSE(same_bits(aggregator.weights(), first));
  ASSERT_EQ(seen->size(), kWarmup);
  for (std::size_t t = 0; t < kWarmup; ++t) {
    EXPECT_EQ((*seen)[t].number, static_cast<std::int64_t>(t + 1)) << "in order";
  }
}

TEST(AggregatorBound, TakesTheQuantileOfTheWarmUpLosses) {
  Aggregator aggregator = share_aggregator(kExperts, 2, 0.1, test::bounded(Bound::automatic(2, 1)));
  aggregator.learn(Numbers{1, 9, 2, 3});
  aggregator.learn(Numbers{0, 4, 7, 6});
  EXPECT_EQ(aggregator.bound().scale(), 9);
  // Uniform weights in both: (1+9+2+3)/4/9 + (0+4+7+6)/4/9.
  EXPECT_NEAR(aggregator.total_loss(), 8.0 / 9, 1e-15);
}

// What the header promises: the warm-up rounds are learned as if their outcomes had come late.
TEST(AggregatorBound, WarmUpEqualsLateOutcomesUnderTheSameScale) {
  Random random(2);
  std::vector<Numbers> losses;
  for (int t = 0; t < 40; ++t) losses.push_back(raw_losses(random));

  Aggregator automatic =
      share_aggregator(kExperts, 2, 0.1, test::bounded(Bound::automatic(kWarmup)));
  for (const Numbers& l : losses) automatic.learn(l);

  Aggregator scaled =
      share_aggregator(kExperts, 2, 0.1, test::bounded(Bound::scale(automatic.bound().scale())));
  for (std::size_t t = 0; t < kWarmup; ++t) scaled.open();
  for (std::size_t t = 0; t < kWarmup; ++t) {
    scaled.learn(static_cast<std::int64_t>(t + 1), losses[t]);
  }
  for (std::size_t t = kWarmup; t < losses.size(); ++t) scaled.learn(losses[t]);

  EXPECT_TRUE(same_bits(automatic.weights(), scaled.weights()));
  EXPECT_TRUE(same_bits(automatic.total_loss(), scaled.total_loss()));
  EXPECT_EQ(automatic.rounds(), scaled.rounds());
}

TEST(AggregatorBound, WarmUpWorksWithForecastsSleepersAndLateOutcomes) {
  Random random(3);
  Aggregator automatic = share_aggregator(kExperts, 2, 0.1, test::bounded(Bound::automatic(3, 1)));
  Aggregator scaled = share_aggregator(kExperts, 2, 0.1, test::bounded(Bound::scale(36)));
  const double nan = std::nan("");
  for (Aggregator* a : {&automatic, &scaled}) {
    a->predict(Numbers{1, nan, 3, 4});               // round 1
    a->open(std::vector<std::uint8_t>{1, 1, 0, 0});  // round 2
    a->predict(Numbers{nan, 2, nan, 6});             // round 3
    a->open();                                       // round 4
    a->learn(3, 0.0);                                // losses 4 and 36: the largest
    a->learn(2, Numbers{5, 7, nan, 1e9});            // a sleeper's entry does not count
    EXPECT_EQ(a->rounds(), a == &automatic ? 0 : 2);
    a->learn(1, 2.0);
    EXPECT_EQ(a->rounds(), 3);
    a->learn(4, Numbers{1, 2, 3, 400});
  }
  EXPECT_EQ(automatic.bound().scale(), 36);
  EXPECT_TRUE(same_bits(automatic.weights(), scaled.weights()));
  EXPECT_TRUE(same_bits(automatic.total_loss(), scaled.total_loss()));
  EXPECT_TRUE(same_bits(automatic.total_forecast_loss(), scaled.total_forecast_loss()));
}

TEST(AggregatorBound, ResumesInTheMiddleOfTheWarmUp) {
  for (std::size_t stop = 0; stop <= kWarmup + 1; ++stop) {
    Random random(4);
    Aggregator straight =
        share_aggregator(kExperts, 2, 0.1, test::bounded(Bound::automatic(kWarmup)));
    Aggregator resumed =
        share_aggregator(kExperts, 2, 0.1, test::bounded(Bound::automatic(kWarmup)));
    for (std::size_t t = 0; t < 20; ++t) {
      if (t == stop) {
        resumed = Aggregator::load_bytes(resumed.save_bytes(), "memory", test::recording_factory);
      }
      const Numbers losses = raw_losses(random);
      straight.learn(losses);
      resumed.learn(losses);
      ASSERT_TRUE(same_bits(straight.weights(), resumed.weights())) << stop << ", round " << t;
    }
    EXPECT_EQ(straight.bound().scale(), resumed.bound().scale());
    EXPECT_EQ(straight.save_bytes(), resumed.save_bytes());
  }
}

TEST(AggregatorBound, WarmUpWithoutAnyLossScalesByOne) {
  Aggregator aggregator = share_aggregator(kExperts, 2, 0.1, test::bounded(Bound::automatic(2)));
  aggregator.learn(Numbers(kExperts, 0));
  aggregator.learn(Numbers(kExperts, 0));
  EXPECT_EQ(aggregator.bound().scale(), 1);
  aggregator.learn(Numbers{0, 0.5, 1, 5});
  EXPECT_TRUE(test::on_simplex(aggregator.weights()));
  EXPECT_NEAR(aggregator.total_loss(), 2.5 / 4, 1e-15);
}

}  // namespace
}  // namespace pcgs
