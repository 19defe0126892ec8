// Outcomes that come late: several rounds open, closed by number in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "pcgs/aggregator.h"
#include "reference/shares.h"
#include "support/expect.h"
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

TEST(AggregatorLate, ClosesTheOnlyOpenRoundWithoutItsNumber) {
  Aggregator aggregator = share_aggregator(2, 1, 0);
  aggregator.predict(std::vector<double>{0, 1});
  aggregator.predict(std::vector<double>{0, 1});
  test::error_of([&] { aggregator.learn(0.5); });
  aggregator.learn(1, 0.5);
  aggregator.learn(0.5);
  EXPECT_EQ(aggregator.open_rounds(), 0u);
  EXPECT_EQ(aggregator.rounds(), 2);
  test::error_of([&] { aggregator.learn(0.5); });
}

TEST(AggregatorLate, LearningLossesLeavesOpenRoundsOpen) {
  Aggregator aggregator = share_aggregator(2, 1, 0);
  const std::int64_t round = aggregator.open();
  aggregator.learn(std::vector<double>{0, 1});
  EXPECT_EQ(aggregator.open_rounds(), 1u);
  EXPECT_EQ(aggregator.rounds(), 1);
  aggregator.learn(round, std::vector<double>{0, 1});
  EXPECT_EQ(aggregator.rounds(), 2);
}

}  // namespace
}  // namespace pcgs
