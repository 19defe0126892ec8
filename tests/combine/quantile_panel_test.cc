#include "reference/quantile_panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "combine/missing_quantiles.h"
#include "panel_events.h"
#include "pcgs/quantiles.h"
#include "support/expect.h"

namespace pcgs {
namespace {

using test::apply;
using test::copy;
using test::error_of;
using test::PanelEvent;
using test::PanelEvents;
using test::Random;
using Numbers = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr QuantileScale kScales[] = {QuantileScale::kRaw, QuantileScale::kLog1p};

PanelEvents draw_events(std::uint64_t seed, QuantileScale scale, int count) {
  PanelEvents drawn(seed, scale, 1 + seed % 9);
  drawn.draw(count);
  return drawn;
}

void apply_to_reference(const PanelEvent& event, reference::QuantilePanel& panel) {
  switch (event.kind) {
    case PanelEvent::kAddExpert:
      panel.add_expert();
      break;
    case PanelEvent::kRemoveExpert:
      panel.remove_expert(event.index);
      break;
    case PanelEvent::kAddSeries:
      panel.add_series();
      break;
    case PanelEvent::kOpen:
      panel.open(event.index, event.quantiles);
      break;
    case PanelEvent::kLearn:
      panel.learn(event.round, event.outcome);
      break;
    case PanelEvent::kAbandon:
      panel.abandon(event.round);
      break;
  }
}

reference::QuantilePanel slow_panel(const QuantileOptions& options) {
  return {options.levels, options.scale == QuantileScale::kLog1p, options.calibrate};
}

// On the scale of the combination, where doubles in the units of the forecasts tell numbers apart.
Numbers on_scale(std::span<const double> numbers, QuantileScale scale) {
  Numbers out = copy(numbers);
  if (scale == QuantileScale::kLog1p) {
    for (double& x : out) x = std::clamp(std::log1p(x), -10.0, 700.0);
  }
  return out;
}

// Up to rounding: the pool finds a level that a distribution reaches but for 1e-12, so that the width of
// distributions counts.
double tolerance_for(const reference::Forecasts& experts) {
  double most = 1;
  for (const auto& row : experts) {
    for (const double x : row) most = std::isnan(x) ? most : std::max(most, std::abs(x));
  }
  return 1e-10 * most;
}

QuantilePanel panel_of(Numbers levels, int experts, int series,
                       QuantileScale scale = QuantileScale::kRaw) {
  QuantilePanel panel({std::move(levels), scale});
  for (int k = 0; k < experts; ++k) panel.add_expert("expert" + std::to_string(k));
  for (int s = 0; s < series; ++s) panel.add_series("series" + std::to_string(s));
  return panel;
}

::testing::AssertionResult finite_and_in_order(std::span<const double> quantiles) {
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    if (!std::isfinite(quantiles[i]) || (i > 0 && quantiles[i] < quantiles[i - 1])) {
      return ::testing::AssertionFailure() << ::testing::PrintToString(copy(quantiles));
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(QuantilePanel, EqualsTheReference) {
  std::size_t forecasts = 0;
  std::int64_t crossed = 0, far = 0;
  double narrowest = 1, widest = 1;  // stretch
  for (const auto scale : kScales) {
    for (std::uint64_t seed = 0; seed < 36; ++seed) {
      const auto drawn = draw_events(seed, scale, 200);
      QuantilePanel panel(drawn.options());
      reference::QuantilePanel slow = slow_panel(drawn.options());
      std::size_t series = 0;
      for (const auto& event : drawn.events()) {
        apply(event, panel);
        apply_to_reference(event, slow);
        series = panel.series().size();
        if (event.kind == PanelEvent::kOpen && !std::isnan(slow.forecast(event.round)[0])) {
          ++forecasts;
          const auto quick = on_scale(panel.forecast(event.round), scale);
          const auto exact = on_scale(slow.forecast(event.round), scale);
          ASSERT_TRUE(test::all_near(quick, exact, tolerance_for(slow.combined_from(event.round))))
              << "seed " << seed << ", round " << event.round;
        } else if (event.kind == PanelEvent::kOpen) {
          ASSERT_TRUE(std::ranges::all_of(panel.forecast(event.round),
                                          [](double x) { return std::isnan(x); }));
        }
        for (std::size_t s = 0; s < series; ++s) {
          const auto weights = panel.weights(s);
          ASSERT_TRUE(test::all_near(weights, slow.weights(s), 1e-9)) << "seed " << seed;
          ASSERT_TRUE(test::on_simplex(weights)) << "seed " << seed;
        }
      }
      EXPECT_EQ(panel.crossed(), slow.crossed) << seed;
      EXPECT_TRUE(std::ranges::equal(panel.outliers_by_expert(), slow.far)) << seed;
      crossed += slow.crossed;
      far += panel.outliers();
      narrowest = std::min(narrowest, std::ranges::min(slow.stretch()));
      widest = std::max(widest, std::ranges::max(slow.stretch()));
    }
  }
  EXPECT_GT(forecasts, 5000u) << "else this would compare little";
  EXPECT_GT(crossed, 500) << "else this would compare little";
  EXPECT_GT(far, 200) << "else this would compare little";
  EXPECT_LT(narrowest, 0.995) << "else this would compare little";
  EXPECT_GT(widest, 1.005) << "else this would compare little";
}

TEST(QuantilePanel, WithoutCalibrationForecastsAreInOrderAndBetweenWhatIsCombinedAtEachLevel) {
  for (const auto scale : kScales) {
    for (std::uint64_t seed = 100; seed < 130; ++seed) {
      const auto drawn = draw_events(seed, scale, 200);
      QuantileOptions options = drawn.options();
      options.calibrate = false;
      QuantilePanel panel(options);
      reference::QuantilePanel slow = slow_panel(options);
      for (const auto& event : drawn.events()) {
        apply(event, panel);
        apply_to_reference(event, slow);
        if (event.kind != PanelEvent::kOpen || std::isnan(slow.forecast(event.round)[0])) continue;
        ASSERT_TRUE(finite_and_in_order(panel.forecast(event.round)));
        const auto out = on_scale(panel.forecast(event.round), scale);
        for (std::size_t i = 0; i < out.size(); ++i) {
          double low = std::numeric_limits<double>::infinity(), high = -low;
          for (const auto& row : slow.combined_from(event.round)) {
            if (std::isnan(row[i])) continue;
            low = std::min(low, row[i]);
            high = std::max(high, row[i]);
          }
          const double rounding = tolerance_for(slow.combined_from(event.round));
          ASSERT_GE(out[i], std::min(low, 700.0) - rounding) << "seed " << seed << ", level " << i;
          ASSERT_LE(out[i], std::max(high, -10.0) + rounding) << "seed " << seed << ", level " << i;
        }
      }
    }
  }
}

TEST(QuantilePanel, AForecastStaysToTheBitWhateverIsLearnedWhileItIsOpen) {
  std::size_t learned_meanwhile = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto drawn = draw_events(seed, kScales[seed % 2], 200);
    QuantilePanel panel(drawn.options());
    std::map<std::int64_t, Numbers> published;
    for (const auto& event : drawn.events()) {
      apply(event, panel);
      if (event.kind == PanelEvent::kOpen) {
        published[event.round] = copy(panel.forecast(event.round));
      }
      if (event.kind == PanelEvent::kLearn || event.kind == PanelEvent::kAbandon) {
        published.erase(event.round);
      }
      for (const auto& [round, forecast] : published) {
        learned_meanwhile += event.kind == PanelEvent::kLearn;
        ASSERT_TRUE(test::same_bits(panel.forecast(round), forecast)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(learned_meanwhile, 1000u) << "else this would say little";
}

// The outcome of a round is learned when it comes: a panel to which it comes later says the same until
// then, and something else afterwards.
TEST(QuantilePanel, WhatHasNotArrivedIsNotKnown) {
  const Numbers quantiles = {0, 1, 2, 5, 6, 7};
  QuantilePanel soon = panel_of({0.1, 0.5, 0.9}, 2, 1), late = panel_of({0.1, 0.5, 0.9}, 2, 1);
  soon.open(0, quantiles);
  late.open(0, quantiles);
  soon.learn(1, 1);
  soon.open(0, quantiles);
  late.open(0, quantiles);
  QuantilePanel without = panel_of({0.1, 0.5, 0.9}, 2, 1);
  without.open(0, quantiles);
  EXPECT_TRUE(test::same_bits(late.forecast(2), without.forecast(1)));
  EXPECT_LT(soon.forecast(2)[1], late.forecast(2)[1] - 0.1);
  late.learn(1, 1);
  late.open(0, quantiles);
  EXPECT_TRUE(test::same_bits(late.forecast(3), soon.forecast(2)));
}

// Rounds that are abandoned leave their numbers, and what the models said about where the series is.
TEST(QuantilePanel, RoundsThatAreAbandonedTeachNothing) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto drawn = draw_events(seed, kScales[seed % 2], 200);
    QuantilePanel panel(drawn.options());
    std::size_t abandoned = 0;
    for (const auto& event : drawn.events()) {
      std::vector<Numbers> before;
      for (std::size_t s = 0; s < panel.series().size(); ++s) before.push_back(panel.weights(s));
      apply(event, panel);
      if (event.kind != PanelEvent::kAbandon) continue;
      ++abandoned;
      for (std::size_t s = 0; s < before.size(); ++s) {
        ASSERT_TRUE(test::same_bits(panel.weights(s), before[s])) << "seed " << seed;
      }
    }
    EXPECT_GT(abandoned, 0u);
  }
}

TEST(QuantilePanel, DoesNotCareAboutTheOrderOfExperts) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto drawn = draw_events(seed, kScales[seed % 2], 200);
    const auto& events = drawn.events();
    QuantilePanel panel(drawn.options()), turned(drawn.options());
    // Those that are there from the start come in the opposite order.
    std::size_t first = 0;
    while (events[first].kind == PanelEvent::kAddExpert) ++first;
    ASSERT_GT(first, 1u);
    for (std::size_t i = 0; i < first; ++i) {
      apply(events[i], panel);
      apply(events[first - 1 - i], turned);
    }
    for (std::size_t n = first; n < events.size(); ++n) {
      apply(events[n], panel);
      PanelEvent other = events[n];
      if (other.kind == PanelEvent::kOpen) {
        const auto count = static_cast<std::ptrdiff_t>(drawn.options().levels.size());
        other.quantiles.clear();
        for (const auto& name : turned.experts()) {
          const auto from =
              events[n].quantiles.begin() +
              count * (std::ranges::find(events[n].experts, name) - events[n].experts.begin());
          other.quantiles.insert(other.quantiles.end(), from, from + count);
        }
      }
      apply(other, turned);
      if (other.kind != PanelEvent::kOpen || std::isnan(panel.forecast(other.round)[0])) continue;
      const auto one = on_scale(panel.forecast(other.round), kScales[seed % 2]);
      ASSERT_TRUE(test::all_near(on_scale(turned.forecast(other.round), kScales[seed % 2]), one,
                                 tolerance_for({one})))
          << "seed " << seed;
    }
  }
}

// Losses are in units of the reference's, so the unit of the series does not matter. A power of two changes
// no mantissa, and one of sixteen none of a fourth root.
TEST(QuantilePanel, TheUnitOfASeriesDoesNotMatterToTheBit) {
  for (const double unit : {0x1p-300, 0x1p-20, 0x1p32, 0x1p300}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto drawn = draw_events(seed, QuantileScale::kRaw, 200);
      QuantilePanel panel(drawn.options()), other(drawn.options());
      for (const auto& event : drawn.events()) {
        PanelEvent scaled = event;
        for (double& x : scaled.quantiles) x *= unit;
        scaled.outcome *= unit;
        apply(event, panel);
        apply(scaled, other);
        if (event.kind != PanelEvent::kOpen) continue;
        Numbers expected = copy(panel.forecast(event.round));
        for (double& x : expected) x *= unit;
        if (std::isnan(expected[0])) continue;
        ASSERT_TRUE(test::same_bits(other.forecast(event.round), expected))
            << "seed " << seed << ", unit " << unit;
      }
    }
  }
}

TEST(QuantilePanel, AloneAnExpertIsPublishedAsItIs) {
  QuantilePanel panel = panel_of({0.1, 0.4, 0.9}, 1, 1);
  const Numbers quantiles = {-1, 0.3, 7};
  for (int t = 1; t <= 20; ++t) {
    panel.open(0, quantiles);
    EXPECT_TRUE(test::all_near(panel.forecast(t), quantiles, 1e-12));
    panel.learn(t, t);
  }
}

TEST(QuantilePanel, RoundsInWhichNobodySaysAnythingAreNaNAndTeachNothing) {
  QuantilePanel panel = panel_of({0.2, 0.8}, 3, 1);
  panel.open(0, Numbers{1, 2, 3, 4, 5, 6});
  panel.learn(1, 2);
  const Numbers before = panel.weights(0);
  EXPECT_EQ(panel.open(0, Numbers(6, kNaN)), 2);
  EXPECT_TRUE(std::isnan(panel.forecast(2)[0]) && std::isnan(panel.forecast(2)[1]));
  panel.learn(2, 4);
  EXPECT_TRUE(test::same_bits(panel.weights(0), before));
  EXPECT_EQ(panel.rounds(), 2);
}

TEST(QuantilePanel, RoundsAreNumberedOverAllSeriesAndKnowTheirs) {
  QuantilePanel panel = panel_of({0.5}, 1, 3);
  for (const std::size_t s : {2u, 0u, 1u, 1u}) panel.open(s, Numbers{1});
  EXPECT_EQ(panel.open_rounds(), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(panel.series_of(1), 2u);
  EXPECT_EQ(panel.series_of(4), 1u);
  panel.learn(3, 1);
  panel.abandon(1);
  EXPECT_EQ(panel.open_rounds(), (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(panel.rounds(), 1);
  EXPECT_EQ(panel.open(0, Numbers{1}), 5);
}

TEST(QuantilePanel, ErrorsLeaveItAsItWas) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto scale : kScales) {
    QuantilePanel panel = panel_of({0.1, 0.9}, 2, 1, scale);
    panel.open(0, Numbers{1, 2, 3, 4});
    panel.learn(1, 2);
    panel.open(0, Numbers{1, 2, 3, 4});
    const auto before = panel.save_bytes();
    const auto refused = [&](const std::string& part, const std::function<void()>& action) {
      EXPECT_TRUE(test::mentions(error_of(action), part));
      EXPECT_EQ(panel.save_bytes(), before) << part;
    };
    refused("expert0", [&] { panel.add_expert("expert0"); });
    refused("nobody", [&] { panel.remove_expert("nobody"); });
    refused("series0", [&] { panel.add_series("series0"); });
    refused("expert1", [&] { panel.open(0, Numbers{1, 2, kInfinity, 4}); });
    refused("expert0", [&] { panel.open(0, Numbers{1, -kInfinity, 3, 4}); });
    for (const std::int64_t round : {0, 1, 3, -1}) {
      const std::string name = "round " + std::to_string(round);
      refused(name, [&] { panel.learn(round, 1); });
      refused(name, [&] { panel.abandon(round); });
      refused(name, [&] { panel.forecast(round); });
      refused(name, [&] { panel.series_of(round); });
    }
    for (const double outcome : {kNaN, kInfinity, -kInfinity}) {
      refused("round 2", [&] { panel.learn(2, outcome); });
    }
    if (scale == QuantileScale::kRaw) continue;
    refused("above -1", [&] { panel.open(0, Numbers{-1, 2, 3, 4}); });
    refused("above -1", [&] { panel.learn(2, -1); });
  }
}

TEST(QuantilePanel, RefusesLevelsThatAreNone) {
  for (const Numbers& levels :
       {Numbers{}, {0.0}, {1.0}, {0.5, 0.5}, {0.6, 0.5}, {kNaN}, {-0.1, 0.5}}) {
    error_of([&] { QuantilePanel({levels, QuantileScale::kRaw}); });
  }
}

// Any of these at any level, from as many experts as there are, for any outcome.
TEST(QuantilePanel, StaysFiniteAndInOrderForAnyNumbers) {
  const double kMost = std::numeric_limits<double>::max();
  const Numbers extremes = {0.0,   -0.0,   1.0,   -0.5,   5e-324, 1e-308, 1e9,
                            1e308, -1e308, kMost, -kMost, 1e300,  1e-300};
  for (const auto scale : kScales) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Random random(seed);
      const std::size_t count = 1 + seed % 4;
      PanelEvents drawn(0, scale, count);
      QuantilePanel panel(drawn.options());
      const std::size_t experts = 1 + seed % 5;
      for (std::size_t k = 0; k < experts; ++k) panel.add_expert(std::to_string(k));
      panel.add_series("one");
      panel.add_series("other");
      const auto extreme = [&] {
        double x = extremes[random.below(extremes.size())];
        if (scale == QuantileScale::kLog1p && x <= -1) x = -x;
        return x;
      };
      for (std::int64_t t = 1; t <= 40; ++t) {
        Numbers quantiles(experts * count);
        for (double& x : quantiles) x = extreme();
        if (random.chance(0.2)) std::ranges::fill(quantiles, quantiles[0]);
        if (random.chance(0.2)) {
          std::fill_n(quantiles.begin(), static_cast<std::ptrdiff_t>(count), kNaN);
        }
        panel.open(static_cast<std::size_t>(t % 2), quantiles);
        if (!std::ranges::all_of(quantiles, [](double x) { return std::isnan(x); })) {
          ASSERT_TRUE(finite_and_in_order(panel.forecast(t))) << "seed " << seed;
        }
        panel.learn(t, extreme());
        for (std::size_t s = 0; s < 2; ++s) ASSERT_TRUE(test::on_simplex(panel.weights(s)));
      }
    }
  }
}

// So that a test of what follows ends: a pool of numbers that are none need not.
::testing::AssertionResult completed_are_finite(const PanelEvents& drawn, Numbers quantiles) {
  const levels::Levels levels(drawn.options().levels);
  std::vector<std::uint8_t> awake(quantiles.size() / levels.size());
  levels::Completion(levels).complete(quantiles, awake);
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    if (awake[i / levels.size()] && !std::isfinite(quantiles[i])) {
      return ::testing::AssertionFailure() << "completed to " << quantiles[i];
    }
  }
  return ::testing::AssertionSuccess();
}

// The same, where experts leave out levels and get the steps of the others.
TEST(QuantilePanel, StaysFiniteAndInOrderForAnyNumbersAtSomeLevels) {
  const Numbers extremes = {0.0, 1.0, -0.5, 1e9, 1e308, -1e308, 5e-324};
  for (const auto scale : kScales) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Random random(seed);
      PanelEvents drawn(0, scale, 3);
      QuantilePanel panel(drawn.options());
      const std::size_t experts = 1 + seed % 5;
      for (std::size_t k = 0; k < experts; ++k) panel.add_expert(std::to_string(k));
      panel.add_series("one");
      const auto extreme = [&] {
        double x = extremes[random.below(extremes.size())];
        if (scale == QuantileScale::kLog1p && x <= -1) x = -x;
        return x;
      };
      for (std::int64_t t = 1; t <= 40; ++t) {
        Numbers quantiles(experts * 3);
        for (double& x : quantiles) x = random.chance(0.4) ? kNaN : extreme();
        quantiles[random.below(quantiles.size())] = extreme();
        if (scale == QuantileScale::kRaw) {
          ASSERT_TRUE(completed_are_finite(drawn, quantiles));
        }
        panel.open(0, quantiles);
        ASSERT_TRUE(finite_and_in_order(panel.forecast(t))) << "seed " << seed << ", round " << t;
        panel.learn(t, extreme());
        ASSERT_TRUE(test::on_simplex(panel.weights(0))) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace pcgs
