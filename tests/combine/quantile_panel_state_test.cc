#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/whole_file.h"
#include "panel_events.h"
#include "pcgs/aggregator.h"
#include "pcgs/quantiles.h"
#include "pcgs/registry.h"
#include "support/data_file.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using test::apply;
using test::error_of;
using test::PanelEvents;
using test::Random;
using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

QuantilePanel load(const Bytes& file) { return QuantilePanel::load_bytes(file, "some.state"); }

// With open rounds in two series, somebody asleep and a note.
QuantilePanel busy_panel(QuantileScale scale = QuantileScale::kRaw, bool calibrate = true) {
  QuantilePanel panel({{0.2, 0.8}, scale, calibrate});
  panel.add_expert("arima");
  panel.add_expert("ets");
  panel.add_expert("naive");
  panel.add_series("north");
  panel.add_series("south");
  for (std::int64_t t = 1; t <= 6; ++t) {
    panel.open(static_cast<std::size_t>(t % 2), Numbers{1, 2, 2, 4, NAN, NAN});
    if (t <= 4) panel.learn(t, static_cast<double>(t));
  }
  panel.open(0, Numbers(6, NAN));
  panel.set_note("a note");
  return panel;
}

::testing::AssertionResult same(const QuantilePanel& a, const QuantilePanel& b) {
  if (a.open_rounds() != b.open_rounds()) return ::testing::AssertionFailure() << "open rounds";
  for (const std::int64_t round : a.open_rounds()) {
    if (a.series_of(round) != b.series_of(round)) return ::testing::AssertionFailure() << "series";
    for (std::size_t i = 0; i < a.options().levels.size(); ++i) {
      const double x = a.forecast(round)[i], y = b.forecast(round)[i];
      if (std::isnan(x) && std::isnan(y)) continue;
      if (const auto equal = test::same_bits(x, y); !equal) return equal;
    }
  }
  for (std::size_t s = 0; s < a.series().size(); ++s) {
    if (const auto equal = test::same_bits(a.weights(s), b.weights(s)); !equal) return equal;
  }
  return ::testing::AssertionSuccess();
}

TEST(QuantilePanelState, SavedAndLoadedAfterEveryEventItGoesOnToTheBit) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PanelEvents drawn(seed, seed % 2 == 0 ? QuantileScale::kRaw : QuantileScale::kLog1p,
                      1 + seed % 5);
    drawn.draw(150);
    QuantilePanel panel(drawn.options()), reloaded(drawn.options());
    for (const auto& event : drawn.events()) {
      apply(event, panel);
      apply(event, reloaded);
      const auto file = panel.save_bytes();
      ASSERT_EQ(reloaded.save_bytes(), file) << "seed " << seed;
      reloaded = load(file);
      ASSERT_EQ(reloaded.save_bytes(), file) << "seed " << seed;
      ASSERT_TRUE(same(panel, reloaded)) << "seed " << seed;
    }
  }
}

TEST(QuantilePanelState, KeepsWhatTheOwnerSees) {
  const test::TempDir dir;
  for (const auto scale : {QuantileScale::kRaw, QuantileScale::kLog1p}) {
    const bool calibrate = scale == QuantileScale::kRaw;
    QuantilePanel panel = busy_panel(scale, calibrate);
    panel.open(1, Numbers{2, 1, 1, 2, 3, 3});  // one has crossed
    panel.save(dir / "a.state");
    const QuantilePanel loaded = QuantilePanel::load(dir / "a.state");
    EXPECT_EQ(loaded.options().levels, panel.options().levels);
    EXPECT_EQ(loaded.options().scale, scale);
    EXPECT_EQ(loaded.options().calibrate, calibrate);
    EXPECT_EQ(loaded.experts().size(), 3u);
    EXPECT_EQ(loaded.experts()[1], "ets");
    EXPECT_EQ(loaded.series()[1], "south");
    EXPECT_EQ(loaded.note(), "a note");
    EXPECT_EQ(loaded.rounds(), 4);
    EXPECT_EQ(loaded.crossed(), 1);
    EXPECT_EQ(loaded.outliers(), panel.outliers());
    EXPECT_TRUE(same(panel, loaded));
  }
}

// It was published, and stays so, though nobody is left that can be judged by it.
TEST(QuantilePanelState, AForecastWhoseExpertsHaveAllLeftIsKept) {
  QuantilePanel panel({{0.2, 0.8}, QuantileScale::kRaw});
  panel.add_expert("leaves");
  panel.add_expert("sleeps");
  panel.add_series("north");
  panel.open(0, Numbers{1, 2, NAN, NAN});
  panel.remove_expert("leaves");
  EXPECT_TRUE(test::all_near(panel.forecast(1), Numbers{1, 2}, 1e-12));
  EXPECT_TRUE(same(panel, load(panel.save_bytes())));
}

TEST(QuantilePanelState, AnEmptyPanelCanBeSaved) {
  const QuantilePanel panel({{0.5}, QuantileScale::kRaw});
  QuantilePanel loaded = load(panel.save_bytes());
  EXPECT_TRUE(loaded.experts().empty());
  loaded.add_expert("first");
  loaded.add_series("north");
  loaded.open(0, Numbers{3});
  EXPECT_TRUE(test::all_near(loaded.forecast(1), Numbers{3}, 1e-12));
}

TEST(QuantilePanelState, EveryBitFlipAndTruncationIsRefused) {
  const Bytes file = busy_panel().save_bytes();
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    Bytes flipped = file;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    SCOPED_TRACE("bit " + std::to_string(bit));
    error_of([&] { load(flipped); });
  }
  for (std::size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(std::to_string(size) + " bytes");
    error_of([&] { load(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size))); });
  }
}

TEST(QuantilePanelState, AnotherKindOfStateIsRefusedAndNamed) {
  const Aggregator aggregator(make_method("fixed-share", 3));
  const Bytes other = aggregator.save_bytes();
  EXPECT_TRUE(test::mentions(error_of([&] { load(other); }), "some.state"));
  const Bytes own = busy_panel().save_bytes();
  EXPECT_TRUE(test::mentions(
      error_of([&] { Aggregator::load_bytes(own, "own.state", make_method); }), "own.state"));
}

TEST(QuantilePanelState, AnotherArchitectureIsRefused) {
  Bytes file = busy_panel().save_bytes();
  test::put_u64(file, 16, architecture_hash(kQuantilePanel, 3));
  test::seal(file);
  EXPECT_TRUE(test::mentions(error_of([&] { load(file); }), "some.state"));
}

// What was loaded does what any panel does: finite forecasts in order, whoever is awake, also after
// rounds are learned and experts leave; and it can be saved and loaded again.
void use(QuantilePanel& panel) {
  ASSERT_EQ(load(panel.save_bytes()).save_bytes(), panel.save_bytes());
  const std::size_t count = panel.options().levels.size();
  const auto open_and_check = [&](std::size_t series, std::size_t expert) {
    Numbers quantiles(panel.experts().size() * count, NAN);
    for (std::size_t i = 0; i < count; ++i) quantiles[expert * count + i] = static_cast<double>(i);
    const std::int64_t round = panel.open(series, quantiles);
    for (const double x : panel.forecast(round)) {
      ASSERT_TRUE(std::isfinite(x)) << "only expert " << expert << " awake: " << x;
    }
  };
  for (std::size_t s = 0; s < panel.series().size(); ++s) {
    for (std::size_t k = 0; k < panel.experts().size(); ++k) {
      ASSERT_NO_FATAL_FAILURE(open_and_check(s, k));
    }
  }
  for (const std::int64_t round : panel.open_rounds()) panel.learn(round, 1.5);
  for (std::size_t s = 0; s < panel.series().size() && !panel.experts().empty(); ++s) {
    ASSERT_TRUE(test::on_simplex(panel.weights(s)));
  }
  while (!panel.experts().empty()) panel.remove_expert(panel.experts()[0]);
}

std::size_t forge(const Bytes& file, std::size_t at, std::uint64_t forged) {
  Bytes tampered = file;
  test::put_u64(tampered, at, forged);
  test::seal(tampered);
  std::optional<QuantilePanel> loaded;
  try {
    loaded = load(tampered);
  } catch (const Error&) {
    return 1;
  } catch (const std::exception& other) {
    ADD_FAILURE() << other.what();
    return 0;
  }
  use(*loaded);
  return 0;
}

TEST(QuantilePanelState, ForgedFieldsNeverDoWorseThanAnError) {
  for (const Bytes& file : {busy_panel(QuantileScale::kRaw).save_bytes(),
                            busy_panel(QuantileScale::kLog1p).save_bytes()}) {
    std::size_t refused = 0;
    for (std::uint64_t forged :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{255}, std::uint64_t{1} << 32,
          std::uint64_t{1} << 61, std::uint64_t{1} << 63, std::uint64_t{0x7ff0000000000000u},
          std::numeric_limits<std::uint64_t>::max()}) {
      for (std::size_t at = test::kStateHeader; at + 12 <= file.size(); ++at) {
        SCOPED_TRACE("byte " + std::to_string(at) + " forged to " + std::to_string(forged));
        refused += forge(file, at, forged);
        if (::testing::Test::HasFailure()) return;
      }
    }
    EXPECT_GT(refused, 1000u) << "counts, lengths, names and weights are among those bytes";
  }
}

// What learning never reaches.
TEST(QuantilePanelState, ForgedStretchesAreRefused) {
  const Bytes file = QuantilePanel({{0.1, 0.9}, QuantileScale::kRaw}).save_bytes();
  // At the end: that of the one pair, the number of open rounds, the checksum.
  const std::size_t stretch = file.size() - 4 - 2 * 8;
  for (const double fine : {-2.9, 0.0, 2.9}) {
    EXPECT_EQ(forge(file, stretch, std::bit_cast<std::uint64_t>(fine)), 0u);
  }
  for (const double bad : Numbers{NAN, INFINITY, -5.1, 5.1, 1e300}) {
    EXPECT_EQ(forge(file, stretch, std::bit_cast<std::uint64_t>(bad)), 1u);
  }
}

TEST(QuantilePanelState, ForgedNumbersNeverDoWorseThanAnError) {
  const double awkward[] = {NAN, INFINITY, 1e308, -1e308, 5e-324, 0.0, 1e15, -1.0};
  Random random(1);
  std::size_t refused = 0;
  for (const Bytes& file :
       {busy_panel().save_bytes(), busy_panel().save_bytes(), busy_panel().save_bytes()}) {
    for (std::size_t at = test::kStateHeader; at + 12 <= file.size(); ++at) {
      const double value =
          random.chance(0.5) ? awkward[random.below(8)] : random.log_uniform(1e-12, 1e12);
      SCOPED_TRACE(std::to_string(value) + " at " + std::to_string(at));
      refused += forge(file, at, std::bit_cast<std::uint64_t>(value));
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace pcgs
