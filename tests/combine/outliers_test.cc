#include "combine/outliers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/quantile_panel.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::levels {
namespace {

using Awake = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

Awake awake_of(const Numbers& quantiles, std::size_t count) {
  Awake awake(quantiles.size() / count);
  for (std::size_t k = 0; k < awake.size(); ++k) awake[k] = !std::isnan(quantiles[k * count]);
  const auto before = std::ranges::count(awake, 1);
  std::vector<double> scratch;
  const std::size_t wild = leave_out_outliers(quantiles, awake, scratch);
  EXPECT_EQ(static_cast<std::size_t>(before - std::ranges::count(awake, 1)), wild);
  return awake;
}

TEST(Outliers, AnEndFurtherThanFiftyTimesTheUsualWidthIsOne) {
  // Centre 2, widths 2 but for one: 100 away is as far as can be.
  EXPECT_EQ(awake_of({1, 2, 3, 1, 2, 3, 1, 2, 102}, 3), (Awake{1, 1, 1}));
  EXPECT_EQ(awake_of({1, 2, 3, 1, 2, 3, 1, 2, 102.1}, 3), (Awake{1, 1, 0}));
  EXPECT_EQ(awake_of({-98, 2, 3, 1, 2, 3, 1, 2, 3}, 3), (Awake{1, 1, 1}));
  EXPECT_EQ(awake_of({-98.1, 2, 3, 1, 2, 3, 1, 2, 3}, 3), (Awake{0, 1, 1}));
}

TEST(Outliers, WhereDistributionsAreNarrowTheirDistanceIsUsual) {
  EXPECT_EQ(awake_of({1, 2, 3, 4, 53}, 1), (Awake{1, 1, 1, 1, 1}));
  EXPECT_EQ(awake_of({1, 2, 3, 4, 53.1}, 1), (Awake{1, 1, 1, 1, 0}));
  // Distances 1e9, 1, 0, 1, 2: the median is 1.
  EXPECT_EQ(awake_of({1e9, 2, 3, 4, 5}, 1), (Awake{0, 1, 1, 1, 1}));
  EXPECT_EQ(awake_of({-1e9, 2, 3, 4, 5}, 1), (Awake{0, 1, 1, 1, 1}));
}

TEST(Outliers, OfTwoNobodyCanTell) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(awake_of({1, 2, 1e9, 1e9}, 2), (Awake{1, 1}));
  EXPECT_EQ(awake_of({1, 2, nan, nan, 1e9, 1e9, nan, nan}, 2), (Awake{1, 0, 1, 0}));
}

TEST(Outliers, SomebodyIsLeft) {
  for (const Numbers& quantiles :
       {Numbers{-1e9, 0, 1e9, -1e9, 0.1, 1e9, 1e9, 1e9, 1e9, -1e9, -1e9, -1e9},
        Numbers{1, 1, 1, 2, 2, 2, 1e9, 1e9, 1e9}, Numbers{1, 1, 1, 1, 1, 1, 1e9, 1e9, 1e9}}) {
    const auto awake = awake_of(quantiles, 3);
    EXPECT_GT(std::ranges::count(awake, 1), 0) << ::testing::PrintToString(quantiles);
  }
}

// All three distributions of three levels over a few numbers, near and far.
TEST(Outliers, EqualsTheReferenceOnAllTinyProblems) {
  const Numbers numbers = {-200, -1, 0, 2, 120};
  std::vector<Numbers> rows;
  for (const double a : numbers) {
    for (const double b : numbers) {
      for (const double c : numbers) {
        if (a <= b && b <= c) rows.push_back({a, b, c});
      }
    }
  }
  std::size_t wild = 0;
  for (const auto& a : rows) {
    for (const auto& b : rows) {
      for (const auto& c : rows) {
        Numbers quantiles = a;
        quantiles.insert(quantiles.end(), b.begin(), b.end());
        quantiles.insert(quantiles.end(), c.begin(), c.end());
        const auto awake = awake_of(quantiles, 3);
        const auto slow = reference::wild_ones({a, b, c});
        for (std::size_t k = 0; k < 3; ++k) {
          ASSERT_EQ(awake[k] == 0, slow[k]) << ::testing::PrintToString(quantiles);
          wild += slow[k];
        }
      }
    }
  }
  EXPECT_GT(wild, 100u) << "else this would compare little";
}

TEST(Outliers, NumbersAtTheEndsOfTheRangeOfADoubleAreJudgedToo) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(awake_of({-most, 0, 1, 2, 3, most}, 1), (Awake{0, 1, 1, 1, 1, 0}));
  EXPECT_EQ(awake_of({-most, -most, most, most, 0}, 1), (Awake{1, 1, 1, 1, 1}));
}

TEST(Outliers, AllocatesNothingOnceThereIsRoom) {
  std::vector<double> scratch;
  scratch.reserve(3);
  const double* before = scratch.data();
  Awake awake = {1, 1, 1};
  leave_out_outliers(Numbers{1, 2, 1e9}, awake, scratch);
  EXPECT_EQ(scratch.data(), before);
}

}  // namespace
}  // namespace pcgs::levels
