#include "combine/clipping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/quantile_panel.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::levels {
namespace {

using test::Random;
using Numbers = std::vector<double>;
using Rows = reference::Forecasts;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Numbers flat(const Rows& rows) {
  Numbers out;
  for (const auto& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

// [K x P] held, by a series that remembers what it learned.
Numbers held(const Numbers& taus, const Rows& rows, Anchor& anchor) {
  std::vector<std::uint8_t> awake;
  for (const auto& row : rows) awake.push_back(!std::isnan(row[0]));
  Numbers out(rows.size() * taus.size());
  Clipping(Levels(taus), rows.size()).clip(flat(rows), awake, anchor, out);
  return out;
}

Numbers held_alone(const Numbers& taus, const Rows& rows) {
  Anchor anchor;
  return held(taus, rows, anchor);
}

// Everybody between the reference's bounds, one round after another, with what the series remembers.
void expect_reference(const Numbers& taus, const std::vector<Rows>& rounds,
                      const Numbers& outcomes) {
  Anchor anchor;
  reference::Anchor slow;
  for (std::size_t t = 0; t < rounds.size(); ++t) {
    const auto bounds = reference::bounds_of(taus, rounds[t], slow);
    const double middle = anchor.middle();
    const bool was_there = anchor.is_there();
    const Numbers quick = held(taus, rounds[t], anchor);
    for (std::size_t i = 0; i < quick.size(); ++i) {
      const std::size_t k = i / taus.size(), p = i % taus.size();
      if (std::isnan(rounds[t][k][p])) {
        EXPECT_TRUE(std::isnan(quick[i]));
        continue;
      }
      ASSERT_DOUBLE_EQ(quick[i], std::clamp(rounds[t][k][p], bounds.lowest[p], bounds.highest[p]))
          << "round " << t << ", " << ::testing::PrintToString(rounds[t]);
    }
    if (was_there) {
      anchor.learn(outcomes[t], middle);
      slow.distances.push_back(std::abs(outcomes[t] - middle));
    }
    slow.there = true;
    slow.middle = anchor.middle();
    slow.half_width = anchor.half_width();
  }
}

// All three models of two levels over a few numbers, near and far, three rounds of each.
TEST(Clipping, EqualsTheReferenceOnAllTinyProblems) {
  const Numbers numbers = {-1e6, -1, 0, 2, 1e9};
  Rows rows;
  for (const double a : numbers) {
    for (const double b : numbers) {
      if (a <= b) rows.push_back({a, b});
    }
  }
  for (const auto& a : rows) {
    for (const auto& b : rows) {
      for (const auto& c : rows) {
        expect_reference({0.25, 0.75}, {{a, b, c}, {c, {kNaN, kNaN}, a}, {b, a, c}}, {0, 1, 2});
      }
    }
  }
}

TEST(Clipping, EqualsTheReferenceForAnyNumberOfModels) {
  Random random(1);
  for (std::size_t experts = 1; experts <= 100; experts += experts < 20 ? 1 : 13) {
    const Numbers taus = {0.01, 0.05, 0.3, 0.5, 0.8, 0.95, 0.99};
    std::vector<Rows> rounds;
    Numbers outcomes;
    for (int t = 0; t < 8; ++t) {
      auto& rows = rounds.emplace_back();
      for (std::size_t k = 0; k < experts; ++k) {
        const double middle = random.uniform(-1, 1), factor = random.chance(0.1) ? 1e6 : 1;
        auto& row = rows.emplace_back();
        for (const double tau : taus) {
          row.push_back(factor * (middle + (0.2 + 0.1 * middle) * std::log(tau / (1 - tau))));
        }
        std::ranges::sort(row);
        if (k > 0 && random.chance(0.2)) row.assign(taus.size(), kNaN);
      }
      outcomes.push_back(random.uniform(-2, 2));
    }
    expect_reference(taus, rounds, outcomes);
  }
}

TEST(Clipping, WhatIsInOrderStaysInOrder) {
  Random random(2);
  const Numbers taus = {0.1, 0.3, 0.5, 0.7, 0.9};
  for (int n = 0; n < 2000; ++n) {
    Rows rows(1 + random.below(6));
    for (auto& row : rows) {
      for (std::size_t i = 0; i < taus.size(); ++i) {
        row.push_back(random.chance(0.2) ? random.log_uniform(1e-3, 1e12) : random.uniform(-1, 1));
      }
      std::ranges::sort(row);
    }
    const Numbers out = held_alone(taus, rows);
    for (std::size_t i = 1; i < out.size(); ++i) {
      if (i % taus.size() > 0) {
        ASSERT_LE(out[i - 1], out[i]);
      }
    }
  }
}

TEST(Clipping, AModelFarFromAllOthersCountsAsTwoUsualDistances) {
  // Middles 0, 1, 2, 3 and one that exploded: the median is 2, the median distance 1.
  EXPECT_EQ(held_alone({0.5}, {{0}, {1}, {2}, {3}, {1e30}}), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(held_alone({0.5}, {{0}, {1}, {2}, {3}, {-1e30}}), (Numbers{0, 1, 2, 3, -1}));
}

// With the half-width of its own forecasts alone, a series that moves by more than its models think
// would be held where it was for good.
TEST(Clipping, ASeriesThatMovesIsNotHeldWhereItWas) {
  Anchor anchor;
  const Numbers taus = {0.1, 0.5, 0.9};
  double level = 0;
  for (int t = 0; t < 50; ++t) {
    const double middle = anchor.middle();
    const Numbers out =
        held(taus, {{level - 0.1, level, level + 0.1}, {level, level + 0.1, level + 0.2}}, anchor);
    if (t > 3) {
      EXPECT_NEAR(out[1], level, 1e-9) << t;
    }
    level += 100;
    anchor.learn(level, middle);
  }
}

TEST(Clipping, OnceThreeOutcomesAreKnownNobodyIsBelievedFarFromTheSeries) {
  const Numbers taus = {0.5};
  for (const std::size_t models : {1u, 2u, 3u}) {
    Anchor anchor;
    const Rows usual(models, {10}), absurd(models, {1e9});
    for (int t = 0; t < 3; ++t) {
      held(taus, usual, anchor);
      anchor.learn(11, 10);
    }
    EXPECT_EQ(held(taus, absurd, anchor), Numbers(models, 10 + 20 * 1));
  }
}

TEST(Clipping, OfTwoModelsTheOneNearerToTheSeriesIsBelieved) {
  Anchor anchor;
  const Numbers taus = {0.1, 0.5, 0.9};
  held(taus, {{9, 10, 11}, {9, 10, 11}}, anchor);
  const Numbers out = held(taus, {{8, 10, 12}, {1e6, 2e6, 3e6}}, anchor);
  EXPECT_EQ(out, (Numbers{8, 10, 12, 12, 14, 16}));
}

TEST(Clipping, IsFiniteAtTheEndsOfTheRangeOfADouble) {
  const double most = std::numeric_limits<double>::max();
  Random random(3);
  const Numbers extremes = {-most, -1e308, -1, 0, 5e-324, 1, 1e308, most};
  for (int n = 0; n < 500; ++n) {
    Anchor anchor;
    const std::size_t models = 1 + random.below(5);
    for (int t = 0; t < 6; ++t) {
      Rows rows(models);
      for (auto& row : rows) {
        for (int i = 0; i < 3; ++i) row.push_back(extremes[random.below(extremes.size())]);
        std::ranges::sort(row);
      }
      for (const double x : held({0.1, 0.5, 0.9}, rows, anchor)) ASSERT_TRUE(std::isfinite(x));
      anchor.learn(extremes[random.below(extremes.size())], anchor.middle());
    }
  }
}

}  // namespace
}  // namespace pcgs::levels
