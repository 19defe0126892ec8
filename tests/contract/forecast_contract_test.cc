// What every registered method that needs forecasts promises (method.h), checked for each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "contract/specs.h"
#include "pcgs/aggregator.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::on_simplex;
using test::Random;
using test::same_bits;

struct Made {
  std::vector<double> forecasts;
  double y = 0;
};

// Outcomes near 50, an error that all share, and experts whose quality changes.
class Series {
 public:
  Series(std::size_t experts, std::uint64_t seed) : experts_(experts), random_(seed) {}

  Made next() {
    if (t_ % 40 == 0) best_ = random_.below(experts_);
    Made made;
    made.y = 50 + 10 * std::sin(static_cast<double>(t_++) / 12 * std::numbers::pi);
    const double common = random_.uniform(-1, 1);
    for (std::size_t k = 0; k < experts_; ++k) {
      const double own = (k == best_ ? 0.5 : 3) * random_.uniform(-1, 1);
      made.forecasts.push_back(made.y + common + own + (k % 2 == 0 ? 1 : -1));
    }
    return made;
  }

 private:
  std::size_t experts_, t_ = 0, best_ = 0;
  Random random_;
};

class ForecastContract : public ::testing::TestWithParam<std::string> {
 protected:
  static Aggregator make(std::size_t experts) { return make_aggregator(GetParam(), experts); }
};

INSTANTIATE_TEST_SUITE_P(Methods, ForecastContract, ::testing::ValuesIn(test::forecast_specs()),
                         test::name_of_spec);

TEST_P(ForecastContract, IsFeasible) {
  for (const std::size_t experts : {1u, 2u, 3u, 8u, 13u}) {
    Aggregator aggregator = make(experts);
    Series series(experts, experts);
    for (int t = 0; t < 200; ++t) {
      const Made made = series.next();
      const auto [low, high] = std::minmax_element(made.forecasts.begin(), made.forecasts.end());
      const double f = aggregator.predict(made.forecasts);
      ASSERT_TRUE(std::isfinite(f) && f >= *low - 100 && f <= *high + 100) << f;
      aggregator.learn(made.y);
      ASSERT_TRUE(on_simplex(aggregator.weights())) << experts << " experts, round " << t;
    }
  }
}

// What is open, forecast or abandoned has not happened, and an outcome shows in later rounds only.
TEST_P(ForecastContract, IsCausal) {
  constexpr std::size_t kExperts = 6, kRounds = 50;
  Aggregator first = make(kExperts), second = make(kExperts);
  Series series(kExperts, 1), lost(kExperts, 2);
  for (std::size_t t = 0; t < kRounds; ++t) {
    const std::vector<double> before = test::copy(second.weights());
    for (Aggregator* one : {&first, &second}) {
      one->predict(lost.next().forecasts);  // not the same for both
      one->abandon(one->last_opened());
    }
    ASSERT_TRUE(same_bits(second.weights(), before));

    const Made made = series.next();
    ASSERT_TRUE(same_bits(second.predict(made.forecasts), first.predict(made.forecasts)))
        << "round " << t;
    first.learn(first.last_opened(), made.y);
    second.learn(second.last_opened(), made.y + (t + 1 == kRounds ? 5 : 0));
  }
  EXPECT_FALSE(same_bits(first.weights(), second.weights()));
}

TEST_P(ForecastContract, LearnsSomething) {
  Aggregator aggregator = make(4);
  Random random(3);
  double own = 0, uniform = 0;
  for (int t = 0; t < 300; ++t) {
    const double y = random.uniform(-10, 10);
    std::vector<double> forecasts;
    for (const double size : {9.0, 1.0, 8.0, 10.0}) {
      forecasts.push_back(y + size * random.uniform(-1, 1));
    }
    const double f = aggregator.predict(forecasts);
    const double mean = std::accumulate(forecasts.begin(), forecasts.end(), 0.0) / 4;
    aggregator.learn(y);
    if (t < 50) continue;
    own += (f - y) * (f - y);
    uniform += (mean - y) * (mean - y);
  }
  EXPECT_LT(own, 0.5 * uniform) << "the best expert by far, three hundred times over";
}

TEST_P(ForecastContract, IsEquivariantUnderRelabelling) {
  constexpr std::size_t kExperts = 7;
  std::vector<std::size_t> label(kExperts);
  for (std::size_t k = 0; k < kExperts; ++k) label[k] = (3 * k + 2) % kExperts;
  Aggregator plain = make(kExperts), relabelled = make(kExperts);
  Series series(kExperts, 20);
  Random random(9);
  for (int t = 0; t < 80; ++t) {
    const Made made = series.next();
    const auto awake = random.awake(kExperts, 0.8);
    std::vector<double> given = made.forecasts, moved(kExperts);
    for (std::size_t k = 0; k < kExperts; ++k) {
      if (awake[k] == 0) given[k] = std::nan("");
      moved[label[k]] = given[k];
    }
    // Networks work in float, and stacks put their experts back in turn.
    ASSERT_NEAR(relabelled.predict(moved), plain.predict(given), 2e-2) << "round " << t;
    plain.learn(made.y);
    relabelled.learn(made.y);
  }
}

TEST_P(ForecastContract, DoesNotDependOnTheUnitOfTheData) {
  for (const double factor : {1e-6, 1e6}) {
    Aggregator one = make(4), other = make(4);
    Series series(4, 4);
    for (int t = 0; t < 200; ++t) {
      const Made made = series.next();
      std::vector<double> scaled = made.forecasts;
      for (double& x : scaled) x *= factor;
      const double f = one.predict(made.forecasts);
      ASSERT_NEAR(other.predict(scaled) / factor, f, 1e-2) << "round " << t;
      one.learn(made.y);
      other.learn(factor * made.y);
    }
  }
}

TEST_P(ForecastContract, ResumesToTheBitWithLateOutcomesAndSleepers) {
  const test::TempDir dir;
  for (const std::size_t experts : {1u, 6u}) {
    Aggregator whole = make(experts), parts = make(experts);
    Series series(experts, 30 + experts);
    Random random(experts);
    std::deque<std::pair<std::int64_t, double>> open;
    for (int t = 0; t < 150; ++t) {
      Made made = series.next();
      const auto awake = random.awake(experts, 0.8);
      for (std::size_t k = 0; k < experts; ++k) {
        if (awake[k] == 0) made.forecasts[k] = std::nan("");
      }
      const double f = whole.predict(made.forecasts);
      ASSERT_TRUE(same_bits(parts.predict(made.forecasts), f)) << "round " << t;
      open.emplace_back(whole.last_opened(), made.y);
      if (t % 13 == 0) {
        parts.save(dir / "a.state");
        parts = load_aggregator(dir / "a.state");
      }
      while (open.size() > 4 || (!open.empty() && random.chance(0.3))) {
        const auto i = static_cast<std::ptrdiff_t>(random.below(open.size()));
        const auto [round, y] = open[static_cast<std::size_t>(i)];
        open.erase(open.begin() + i);
        if (random.chance(0.1)) {
          whole.abandon(round);
          parts.abandon(round);
          continue;
        }
        whole.learn(round, y);
        parts.learn(round, y);
        ASSERT_TRUE(same_bits(parts.weights(), whole.weights())) << "round " << t;
      }
    }
    EXPECT_EQ(parts.save_bytes(), whole.save_bytes());
  }
}

// One sentence that says what to do instead.
TEST_P(ForecastContract, RefusesLosses) {
  Aggregator aggregator = make(2);
  const std::vector<double> losses = {0.1, 0.2};
  for (const std::string& message : {test::error_of([&] { aggregator.learn(losses); }),
                                     test::error_of([&] { aggregator.open(); })}) {
    EXPECT_TRUE(test::mentions(message, aggregator.method().name()));
    EXPECT_TRUE(test::mentions(message, "give forecasts"));
    EXPECT_EQ(message.find(". "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_EQ(aggregator.rounds(), 0);
}

TEST_P(ForecastContract, PerfectExpertsAndConstantSeriesLeaveItFeasible) {
  Aggregator aggregator = make(4);
  for (int t = 0; t < 300; ++t) {
    const double y = t < 100 ? 3 : t;
    // All are right for a while; then the first always is.
    const double off = t < 50 ? 0 : t % 2 == 0 ? 1 : -2;
    const double f = aggregator.predict(std::vector<double>{y, y + off, y - off, y + 3 * off});
    ASSERT_TRUE(std::isfinite(f)) << "round " << t;
    if (t < 50) {
      ASSERT_NEAR(f, y, 1e-9) << "round " << t;
    }
    aggregator.learn(y);
    ASSERT_TRUE(on_simplex(aggregator.weights())) << "round " << t;
  }
}

TEST_P(ForecastContract, AnExpertThatNeverWakesChangesNothingForTheWorse) {
  Aggregator aggregator = make(5);
  Series series(4, 11);
  for (int t = 0; t < 300; ++t) {
    Made made = series.next();
    made.forecasts.push_back(std::nan(""));
    const auto [low, high] =
        std::minmax_element(made.forecasts.begin(), made.forecasts.begin() + 4);
    const double f = aggregator.predict(made.forecasts);
    ASSERT_TRUE(std::isfinite(f) && f >= *low - 100 && f <= *high + 100) << "round " << t;
    ASSERT_EQ(aggregator.played(aggregator.last_opened())[4], 0) << "round " << t;
    ASSERT_TRUE(on_simplex(aggregator.played(aggregator.last_opened()))) << "round " << t;
    aggregator.learn(made.y);
    ASSERT_TRUE(on_simplex(aggregator.weights())) << "round " << t;
  }
  // It wakes at last, as good as anybody.
  Made made = series.next();
  made.forecasts.push_back(made.y);
  EXPECT_TRUE(std::isfinite(aggregator.predict(made.forecasts)));
  aggregator.learn(made.y);
  EXPECT_TRUE(on_simplex(aggregator.weights()));
}

// A number of a saved state, replaced by another one: it is refused, or all goes on. Every number,
// or some thousand of them.
TEST_P(ForecastContract, AForgedStateIsRefusedOrHarmless) {
  Random random(10);
  Aggregator aggregator = make(2);
  Series series(2, 10);
  for (int t = 0; t < 30; ++t) {
    const Made made = series.next();
    aggregator.predict(made.forecasts);
    aggregator.learn(made.y);
  }
  const Made next = series.next();
  aggregator.predict(next.forecasts);
  const auto file = aggregator.save_bytes();
  const std::size_t step = 8 * (1 + file.size() / 16000);
  test::replace_numbers(file, step, random, [&](Aggregator& loaded) {
    EXPECT_TRUE(std::isfinite(loaded.predict(next.forecasts)));
    loaded.learn(loaded.last_opened(), next.y);
    EXPECT_TRUE(on_simplex(loaded.weights()));
  });
}

// What every method promises that can be played on forecasts, those that learn from losses included.
class PlayedOnForecasts : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> specs_with_defaults() {
  std::vector<std::string> specs = test::forecast_specs();
  for (const auto& spec : test::default_specs()) specs.push_back(spec);
  return specs;
}

INSTANTIATE_TEST_SUITE_P(Methods, PlayedOnForecasts, ::testing::ValuesIn(specs_with_defaults()),
                         test::name_of_spec);

TEST_P(PlayedOnForecasts, SkippingRoundsEqualsForecastingThemInVain) {
  constexpr std::size_t kExperts = 4;
  const AggregatorOptions options{.intervals = IntervalOptions{{0.8}, 5}};
  Aggregator skips = make_aggregator(GetParam(), kExperts, options),
             abandons = make_aggregator(GetParam(), kExperts, options);
  Series series(kExperts, 12), lost(kExperts, 13);
  Random random(14);
  for (int t = 0; t < 60; ++t) {
    const auto passed = static_cast<std::int64_t>(random.chance(0.3) ? random.below(9) : 0);
    skips.skip(passed);
    for (std::int64_t i = 0; i < passed; ++i) {
      abandons.predict(lost.next().forecasts);
      abandons.abandon(abandons.last_opened());
    }
    ASSERT_EQ(skips.last_opened(), abandons.last_opened());
    const Made made = series.next();
    ASSERT_TRUE(same_bits(skips.predict(made.forecasts), abandons.predict(made.forecasts)))
        << "round " << t;
    skips.learn(made.y);
    abandons.learn(made.y);
  }
  EXPECT_EQ(skips.save_bytes(), abandons.save_bytes());
}

}  // namespace
}  // namespace pcgs
