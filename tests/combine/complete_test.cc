#include "combine/complete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/quantile_panel.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::levels {
namespace {

using test::Random;
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
  // The others' means are 0, 14/3 (the third gives the median too) and 6.
  EXPECT_TRUE(test::all_near(std::span(out.quantiles).last(3),
                             Numbers{10 - 14.0 / 3, 10, 10 + 6 - 14.0 / 3}, 1e-14));
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

}  // namespace
}  // namespace pcgs::levels
