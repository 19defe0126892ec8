// Intervals as people use them: through an Aggregator, around the forecasts of blend.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "pcgs/registry.h"
#include "support/allocations.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"

namespace pcgs {
namespace {

using test::Made;
using test::Random;

// Three experts around a daily shape; errors grow with the hour, and jump on the way.
std::vector<Made> series(std::size_t rounds, std::uint64_t seed) {
  Random random(seed);
  std::vector<Made> out(rounds);
  for (std::size_t t = 0; t < rounds; ++t) {
    const double level = 100 + 20 * std::sin(static_cast<double>(t) / 12 * std::numbers::pi);
    const double size = (1 + static_cast<double>(t % 24) / 12) * (t < rounds / 2 ? 1 : 3);
    out[t].y = level + size * random.normal();
    for (int k = 1; k <= 3; ++k) out[t].forecasts.push_back(level + k * random.normal());
  }
  return out;
}

Aggregator::Options with_intervals(std::size_t season = 24) {
  Aggregator::Options options;
  options.intervals = IntervalOptions{{0.8, 0.95}, season};
  return options;
}

TEST(BlendIntervals, CoverWhatTheySay) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Aggregator blend = make_aggregator("blend{season=24}", 3, with_intervals());
    int rounds = 0, inside80 = 0, inside95 = 0;
    for (const Made& made : series(1500, seed)) {
      const double f = blend.predict(made.forecasts);
      const auto intervals = blend.intervals(blend.last_opened());
      if (blend.last_opened() > 1) {
        ASSERT_EQ(intervals.size(), 2u);
        EXPECT_EQ(intervals[0].level, 0.8);
        ASSERT_LT(intervals[1].low, f);
        ASSERT_GT(intervals[1].high, f);
        ++rounds;
        inside80 += made.y >= intervals[0].low && made.y <= intervals[0].high ? 1 : 0;
        inside95 += made.y >= intervals[1].low && made.y <= intervals[1].high ? 1 : 0;
      }
      blend.learn(made.y);
    }
    EXPECT_NEAR(inside80, 0.8 * rounds, 0.02 * rounds);
    EXPECT_NEAR(inside95, 0.95 * rounds, 0.01 * rounds);
  }
}

TEST(BlendIntervals, ChangeNeitherForecastsNorWeights) {
  Aggregator alone = make_aggregator("blend", 3);
  Aggregator with = make_aggregator("blend", 3, with_intervals());
  for (const Made& made : series(60, 4)) {
    ASSERT_TRUE(test::same_bits(alone.predict(made.forecasts), with.predict(made.forecasts)));
    EXPECT_TRUE(alone.intervals(alone.last_opened()).empty());
    alone.learn(made.y);
    with.learn(made.y);
  }
}

// Rounds are learned in blocks of three, backwards, so that some are always open when it is saved.
TEST(BlendIntervals, SavedInTheMiddleTheyGoOnToTheBit) {
  for (const char* spec : {"blend{season=6}", "ml-poly"}) {
    Aggregator whole = make_aggregator(spec, 3, with_intervals(6));
    Aggregator parts = make_aggregator(spec, 3, with_intervals(6));
    const auto all = series(1300, 5);  // more than the errors that are kept
    for (std::size_t t = 0; t < all.size(); ++t) {
      for (Aggregator* one : {&whole, &parts}) {
        one->predict(all[t].forecasts);
        if (t % 3 != 2) continue;
        for (std::size_t back = 0; back < 3; ++back) {
          one->learn(one->last_opened() - static_cast<std::int64_t>(back), all[t - back].y);
        }
      }
      if (t % 100 == 37) parts = Aggregator::load_bytes(parts.save_bytes(), "state", make_method);
      if (t % 3 == 2) continue;
      const auto a = whole.intervals(whole.last_opened());
      const auto b = parts.intervals(parts.last_opened());
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_TRUE(test::same_bits(a[i].low, b[i].low)) << spec << ", round " << t;
        ASSERT_TRUE(test::same_bits(a[i].high, b[i].high)) << spec << ", round " << t;
      }
    }
    EXPECT_EQ(whole.save_bytes(), parts.save_bytes()) << spec;
  }
}

TEST(BlendIntervals, DependOnEarlierOutcomesOnly) {
  Aggregator a = make_aggregator("blend", 3, with_intervals());
  Aggregator b = make_aggregator("blend", 3, with_intervals());
  const auto made = series(50, 7);
  for (std::size_t t = 0; t + 1 < made.size(); ++t) {
    a.predict(made[t].forecasts);
    b.predict(made[t].forecasts);
    a.learn(made[t].y);
    b.learn(made[t].y);
  }
  a.predict(made.back().forecasts);
  const auto before = a.intervals(a.last_opened());
  const Interval kept = before[1];
  b.predict(made.back().forecasts);
  b.learn(1e6);
  EXPECT_EQ(a.intervals(a.last_opened())[1].low, kept.low);
  a.learn(made.back().y);
  a.predict(made.back().forecasts);
  b.predict(made.back().forecasts);
  EXPECT_NE(a.intervals(a.last_opened())[1].low, b.intervals(b.last_opened())[1].low);
}

TEST(BlendIntervals, AreNotForProbabilities) {
  Aggregator::Options options = with_intervals();
  options.task = TaskLoss("log");
  EXPECT_TRUE(
      test::mentions(test::error_of([&] { make_aggregator("blend", 3, options); }), "log loss"));
}

TEST(BlendIntervals, AllocateNothingOnceTheyRun) {
  Aggregator blend = make_aggregator("blend{season=24}", 3, with_intervals());
  for (const Made& made : series(1200, 8)) {
    const std::size_t before = test::allocations.count;
    blend.predict(made.forecasts);
    blend.learn(made.y);
    if (blend.rounds() > 2) {
      ASSERT_EQ(test::allocations.count, before) << blend.rounds();
    }
  }
}

// Every number of a saved state, replaced by another one: it is refused, or all goes on.
TEST(BlendIntervals, AForgedStateIsRefusedOrHarmless) {
  Random random(9);
  Aggregator ml_poly = make_aggregator("ml-poly", 3, with_intervals(4));
  const auto made = series(60, 9);
  for (std::size_t t = 0; t + 1 < made.size(); ++t) {
    ml_poly.predict(made[t].forecasts);
    ml_poly.learn(made[t].y);
  }
  ml_poly.predict(made.back().forecasts);
  const auto file = ml_poly.save_bytes();
  // From every byte, for texts stand before the numbers.
  const std::size_t refused = test::replace_numbers(file, 1, random, [&](Aggregator& loaded) {
    loaded.predict(made.back().forecasts);
    for (const Interval& one : loaded.intervals(loaded.last_opened())) {
      EXPECT_TRUE(std::isfinite(one.low) && one.low <= one.high);
    }
    loaded.learn(loaded.last_opened(), made.back().y);
  });
  EXPECT_GT(refused, file.size() / 4);
}

}  // namespace
}  // namespace pcgs
