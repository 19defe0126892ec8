#include "combine/levels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "combine/scores.h"
#include "draws.h"
#include "reference/levels.h"
#include "support/expect.h"

namespace pcgs::levels {
namespace {

using test::Random;

TEST(Levels, AreRefusedUnlessTheyRiseInsideTheUnitInterval) {
  const auto refusal = [](std::vector<double> taus) {
    return test::error_of([&] { Levels levels(std::move(taus)); });
  };
  EXPECT_TRUE(test::mentions(refusal({}), "no levels"));
  EXPECT_TRUE(test::mentions(refusal({0, 0.5}), "level 1 is 0"));
  EXPECT_TRUE(test::mentions(refusal({0.5, 1}), "level 2 is 1"));
  EXPECT_TRUE(test::mentions(refusal({0.5, 0.5}), "rising order"));
  EXPECT_TRUE(test::mentions(refusal({0.5, 0.2}), "rising order"));
  EXPECT_TRUE(test::mentions(refusal({0.1, std::nan("")}), "level 2"));
}

TEST(Levels, KnowWhetherTheyAreCentralIntervals) {
  EXPECT_TRUE(Levels({0.5}).symmetric());
  EXPECT_TRUE(Levels({0.1, 0.9}).symmetric());
  EXPECT_TRUE(Levels({0.025, 0.3, 0.5, 0.7, 0.975}).symmetric());
  EXPECT_FALSE(Levels({0.1, 0.5, 0.8}).symmetric());
  EXPECT_FALSE(Levels({0.4}).symmetric());
}

TEST(Uncross, SortsAndNeverRaisesTheScore) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Levels levels(test::draw_levels(random, 1 + random.below(9)));
    std::vector<double> quantiles(levels.size());
    for (double& x : quantiles) x = random.uniform();
    auto sorted = quantiles;
    uncross(sorted);
    EXPECT_EQ(crossings(sorted), 0u);
    EXPECT_TRUE(std::ranges::is_permutation(sorted, quantiles));
    for (int i = 0; i < 10; ++i) {
      const double y = random.uniform();
      EXPECT_LE(level_score(levels, sorted, y), level_score(levels, quantiles, y) + 1e-15);
    }
  }
  EXPECT_EQ(crossings(std::vector{1.0, 3.0, 2.0, 2.0, 1.0}), 2u);
}

TEST(LevelScore, IsTheWeightedIntervalScore) {
  const Levels levels({0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975});
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto quantiles = test::draw_quantiles(random, levels.size());
    const double y = random.uniform(-0.5, 1.5);
    const double score = level_score(levels, quantiles, y);
    EXPECT_NEAR(score, reference::weighted_interval_score(levels.values(), quantiles, y), 1e-13);
    const ScoreParts parts = score_parts(levels, quantiles, y);
    EXPECT_NEAR(parts.width + parts.above + parts.below, score, 1e-13);
    EXPECT_TRUE(parts.width >= 0 && parts.above >= 0 && parts.below >= 0);
  }
}

TEST(ScoreParts, BlameTheRightSide) {
  const Levels levels({0.25, 0.5, 0.75});
  const std::vector<double> quantiles = {1, 2, 4};
  const ScoreParts below = score_parts(levels, quantiles, 6);
  EXPECT_NEAR(below.width, 2 * 0.25 * 3 / 3, 1e-15);
  EXPECT_NEAR(below.below, (2 * 2 + 4) / 3.0, 1e-15);
  EXPECT_EQ(below.above, 0);
  const ScoreParts above = score_parts(levels, quantiles, 0);
  EXPECT_NEAR(above.above, (2 * 1 + 2) / 3.0, 1e-15);
  EXPECT_EQ(above.below, 0);
  EXPECT_EQ(score_parts(levels, quantiles, 2).above, 0);
}

TEST(Crps, IsItsIntegral) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Levels levels(test::draw_levels(random, 1 + random.below(9)));
    const auto quantiles = test::draw_quantiles(random, levels.size());
    const double y = random.uniform(-0.5, 1.5);
    constexpr int kCells = 20000;
    EXPECT_NEAR(crps(levels, quantiles, y),
                reference::level_crps(levels.values(), quantiles, y, kCells), 20.0 / kCells)
        << seed;
  }
}

TEST(Crps, OfOneLevelIsTheDistance) {
  EXPECT_EQ(crps(Levels({0.3}), std::vector{2.0}, 5), 3);
  EXPECT_EQ(crps(Levels({0.3}), std::vector{2.0}, 1.5), 0.5);
}

}  // namespace
}  // namespace pcgs::levels
