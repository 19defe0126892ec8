#include "combine/quantile_levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine/missing_quantiles.h"
#include "combine/quantile_pool.h"
#include "draws.h"
#include "reference/levels.h"
#include "reference/quantile_panel.h"
#include "support/expect.h"
#include "support/random.h"

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
    EXPECT_NEAR(test::crps(levels, quantiles, y),
                reference::level_crps(levels.values(), quantiles, y, kCells), 20.0 / kCells)
        << seed;
  }
}

TEST(Crps, OfOneLevelIsTheDistance) {
  EXPECT_EQ(test::crps(Levels({0.3}), std::vector{2.0}, 5), 3);
  EXPECT_EQ(test::crps(Levels({0.3}), std::vector{2.0}, 1.5), 0.5);
}

using Numbers = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Completed {
  Numbers quantiles;  // [K x P]
  std::vector<std::uint8_t> awake;
  std::size_t crossed;
};

Completed complete(const Levels& levels, const Numbers& given) {
  Completed out{given, std::vector<std::uint8_t>(given.size() / levels.size(), 7), 0};
  out.crossed = Completion(levels).complete(out.quantiles, out.awake);
  return out;
}

TEST(Completion, IsLinearBetweenLevelsThatAreGiven) {
  const auto out = complete(Levels({0.1, 0.2, 0.5, 0.9}), {1, kNaN, kNaN, 9});
  EXPECT_TRUE(test::all_near(out.quantiles, Numbers{1, 2, 5, 9}, 1e-15));
}

TEST(Completion, TakesTheStepsOfTheOthersBeyondThem) {
  const auto out = complete(Levels({0.1, 0.5, 0.9}), {0, 1, 3, 0, 3, 9, kNaN, 10, kNaN});
  // The others' steps are 1 or 3, and 2 or 6.
  EXPECT_TRUE(test::same_bits(std::span(out.quantiles).last(3), Numbers{9, 10, 12}));
}

TEST(Completion, APointForecastAmongPointForecastsIsALump) {
  const auto out = complete(Levels({0.1, 0.5, 0.9}), {kNaN, 1, kNaN, kNaN, 5, kNaN});
  EXPECT_TRUE(test::same_bits(out.quantiles, Numbers{1, 1, 1, 5, 5, 5}));
}

TEST(Completion, PutsInOrderAndCountsWhoCrossed) {
  const auto out = complete(Levels({0.1, 0.5, 0.9}), {3, 2, 1, 1, 1, 2, 2, kNaN, 0, kNaN, 4, kNaN});
  EXPECT_EQ(out.crossed, 2u);
  EXPECT_TRUE(
      test::all_near(std::span(out.quantiles).first(9), Numbers{1, 2, 3, 1, 1, 2, 0, 1, 2}, 1e-15));
}

TEST(Completion, LeavesThoseWhoSayNothingAsTheyAre) {
  const auto out = complete(Levels({0.5, 0.9}), {kNaN, kNaN, 1, kNaN});
  EXPECT_EQ(out.awake, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_TRUE(std::isnan(out.quantiles[0]) && std::isnan(out.quantiles[1]));
  EXPECT_TRUE(test::same_bits(std::span(out.quantiles).last(2), Numbers{1, 1}));
}

// What was given stays to the bit where everything is given in order.
TEST(Completion, DoesNotTouchWhatIsComplete) {
  const Numbers given = {-0.0, 0.1, 0.3, 1e-320, 5, 1e308};
  EXPECT_TRUE(test::same_bits(complete(Levels({0.1, 0.5, 0.9}), given).quantiles, given));
}

// Every choice of levels that two experts of three levels, or three of two, give, in two orders.
TEST(Completion, EqualsTheReferenceForEveryChoiceOfLevels) {
  for (const auto& [experts, count] : {std::pair{2, 3}, {3, 2}, {1, 5}, {2, 4}}) {
    Numbers taus;
    for (int i = 1; i <= count; ++i) taus.push_back(i * i / 30.0);
    for (unsigned given = 0; given < 1u << (experts * count); ++given) {
      Random random(given);
      Numbers quantiles;
      reference::Forecasts rows(static_cast<std::size_t>(experts));
      for (int n = 0; n < experts * count; ++n) {
        const double x = n % count + random.uniform(-1, 1) + 2 * (n / count);
        quantiles.push_back((given >> n & 1) != 0 ? x : kNaN);
        rows[static_cast<std::size_t>(n / count)].push_back(quantiles.back());
      }
      std::int64_t crossed = 0;
      const auto slow = reference::completed(taus, rows, crossed);
      const auto quick = complete(Levels(taus), quantiles);
      ASSERT_EQ(quick.crossed, static_cast<std::size_t>(crossed));
      for (std::size_t k = 0; k < slow.size(); ++k) {
        const auto row = std::span(quick.quantiles).subspan(k * taus.size(), taus.size());
        ASSERT_EQ(quick.awake[k] != 0, !std::isnan(slow[k][0]));
        if (!quick.awake[k]) continue;
        ASSERT_TRUE(test::all_near(row, slow[k], 1e-12)) << "levels " << given << ", expert " << k;
        ASSERT_EQ(crossings(row), 0u) << "levels " << given << ", expert " << k;
      }
    }
  }
}

TEST(Completion, StaysFiniteAndInOrderAtTheEndsOfTheRangeOfADouble) {
  const double kMost = std::numeric_limits<double>::max();
  const Numbers extremes = {kNaN, 0, kMost, -kMost, 1e308, -1e308, 5e-324};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    Numbers given(9);
    for (double& x : given) x = extremes[random.below(extremes.size())];
    const auto out = complete(Levels({0.1, 0.5, 0.9}), given);
    for (std::size_t k = 0; k < 3; ++k) {
      if (!out.awake[k]) continue;
      const auto row = std::span(out.quantiles).subspan(3 * k, 3);
      for (const double x : row) {
        ASSERT_TRUE(std::isfinite(x)) << x << " from " << ::testing::PrintToString(given);
      }
      ASSERT_EQ(crossings(row), 0u) << ::testing::PrintToString(given);
    }
  }
}

TEST(PanelOperators, TheMiddleIsTheMeansAndTheTailsAreMostlyThePools) {
  const Levels levels({0.1, 0.25, 0.5, 0.75, 0.9});
  const Numbers mean = {-1, 0, 1, 2, 3};
  Numbers pool = {-5, -2, 7, 6, 11};
  put_into_middle(levels, mean, pool);
  // c is 0.64, 0.25 and 0.
  EXPECT_TRUE(test::all_near(pool, Numbers{-1 - 0.64 * 4, -0.25 * 2, 1, 2 + 0.25 * 4, 3 + 0.64 * 8},
                             1e-14));
}

TEST(PanelOperators, QuantilesThatCrossArePutInOrder) {
  const Levels levels({0.02, 0.3, 0.5});
  const Numbers mean = {0, 1, 10};
  Numbers pool = {9, 9, 10};
  put_into_middle(levels, mean, pool);
  EXPECT_TRUE(test::all_near(pool, Numbers{1 + 0.16 * 8, 0.9216 * 9, 10}, 1e-13));
}

TEST(PanelOperators, AreBetweenWhatTheyAreMadeOfWhateverTheNumbers) {
  const Levels levels({0.001, 0.1, 0.3, 0.6, 0.999});
  test::Random random(1);
  for (int draw = 0; draw < 1000; ++draw) {
    Numbers mean(5), pool(5);
    const double size = random.chance(0.2) ? 1.7e308 : random.log_uniform(1e-150, 1e150);
    for (double& x : mean) x = size * random.uniform(-1, 1);
    for (double& x : pool) x = random.chance(0.3) ? mean[0] : size * random.uniform(-1, 1);
    std::ranges::sort(mean);
    std::ranges::sort(pool);
    Numbers made = pool;
    put_into_middle(levels, mean, made);
    EXPECT_TRUE(std::ranges::is_sorted(made));
    for (std::size_t i = 0; i < made.size(); ++i) {
      EXPECT_GE(made[i], std::min(mean[i], pool[i]));
      EXPECT_LE(made[i], std::max(mean[i], pool[i]));
    }
  }
}

}  // namespace

}  // namespace pcgs::levels
