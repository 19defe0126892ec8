#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "run/resume.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

Aggregator some() { return make_aggregator("ml-poly", 3); }

RunNote full_note() {
  return {"blend{season=24}", "load, in MW", "auto",
          Clock{1772323200.5, "2026-03-01 00:00", 3600, true, true}};
}
RunNote bare_note() { return {"ml-poly", "", "", {}}; }

std::vector<RunNote> notes() {
  RunNote numbers = full_note();
  numbers.clock = Clock{-3, "-3", 0, false, false};
  return {full_note(), bare_note(), numbers, {}};
}

TEST(RunNote, IsFoundAsItWasLeft) {
  for (const RunNote& note : notes()) {
    Aggregator aggregator = some();
    leave_note(aggregator, note);
    EXPECT_EQ(find_note(aggregator, "state"), note);
    const auto loaded = Aggregator::load_bytes(aggregator.save_bytes(), "state", make_method);
    EXPECT_EQ(find_note(loaded, "state"), note) << "after a round trip through a file";
  }
}

TEST(RunNote, TheLastOneCounts) {
  Aggregator aggregator = some();
  leave_note(aggregator, full_note());
  leave_note(aggregator, bare_note());
  EXPECT_EQ(find_note(aggregator, "state"), bare_note());
}

TEST(RunNote, ThereIsNoneWhereSomebodyElseLeftOne) {
  Aggregator aggregator = some();
  EXPECT_FALSE(find_note(aggregator, "state"));
  for (const char* text : {"last round: 2026-03-01", "", "PCGS"}) {
    aggregator.set_note(text);
    EXPECT_FALSE(find_note(aggregator, "state")) << text;
  }
}

TEST(RunNote, ADamagedOneIsRefused) {
  Aggregator aggregator = some();
  leave_note(aggregator, full_note());
  const std::string whole = aggregator.note();
  for (std::size_t size = 8; size < whole.size(); ++size) {
    aggregator.set_note(whole.substr(0, size));
    EXPECT_TRUE(
        test::mentions(test::error_of([&] { find_note(aggregator, "a.state"); }), "a.state"));
  }
  for (std::size_t at = 8; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    aggregator.set_note(flipped);
    EXPECT_THROW(find_note(aggregator, "a.state"), Error) << "byte " << at;
  }
  // What does not begin as a note does is somebody else's.
  aggregator.set_note("x" + whole);
  EXPECT_FALSE(find_note(aggregator, "a.state"));
}

// Anything inside, and a checksum that fits: refused, or a note of which every number is one.
TEST(RunNote, AForgedOneIsRefusedOrHarmless) {
  Aggregator aggregator = some();
  leave_note(aggregator, full_note());
  const std::vector<std::uint8_t> whole(aggregator.note().begin(), aggregator.note().end());
  test::Random random(1);
  std::size_t refused = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    auto forged = whole;
    for (std::size_t n = 1 + random.below(8); n > 0; --n) {
      const std::size_t at =
          test::kStateHeader + random.below(whole.size() - test::kStateHeader - 4);
      forged[at] = static_cast<std::uint8_t>(random.chance(0.5) ? 0xff : random.below(256));
    }
    test::seal(forged);
    aggregator.set_note(std::string(forged.begin(), forged.end()));
    try {
      const auto note = find_note(aggregator, "forged");
      ASSERT_TRUE(note);
      if (note->clock) {
        EXPECT_TRUE(std::isfinite(note->clock->last));
        EXPECT_TRUE(std::isfinite(note->clock->step) && note->clock->step >= 0);
      }
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

// ---- Several series -----------------------------------------------------------------------------

using Bytes = SeriesStates::Bytes;
using Key = SeriesStates::Key;

SeriesStates load(const Bytes& bytes) { return SeriesStates::parse(bytes, "states"); }

SeriesStates some_states() {
  SeriesStates states({"store", "item"});
  for (const Key& key : {Key{"Köln", "milk"}, {"Köln", ""}, {"", ""}, {"a,b", "milk \"fresh\""}}) {
    Aggregator aggregator = make_aggregator("ml-poly", 2 + key[0].size());
    states.put(key, aggregator.save_bytes());
  }
  return states;
}

TEST(SeriesStates, HoldsWhatWasPut) {
  const SeriesStates before = some_states(), after = load(before.file());
  EXPECT_EQ(after.by(), before.by());
  EXPECT_EQ(after.all(), before.all());
  EXPECT_EQ(after.file(), before.file());
  ASSERT_NE(after.find({"Köln", "milk"}), nullptr);
  EXPECT_EQ(*after.find({"Köln", "milk"}), *before.find({"Köln", "milk"}));
  EXPECT_EQ(after.find({"Köln", "bread"}), nullptr);
}

TEST(SeriesStates, DoesNotDependOnTheOrderInWhichSeriesCame) {
  SeriesStates one({"k"}), other({"k"});
  const Bytes a = make_aggregator("boa", 2).save_bytes(),
              b = make_aggregator("boa", 3).save_bytes();
  one.put({"a"}, a);
  one.put({"b"}, b);
  other.put({"b"}, a);
  other.put({"a"}, a);
  other.put({"b"}, b);  // in the place of the first
  EXPECT_EQ(one.file(), other.file());
  EXPECT_EQ(other.size(), 2u);
}

TEST(SeriesStates, OfOneSeriesIsWhatAnAggregatorSaves) {
  const Bytes state = make_aggregator("boa", 4).save_bytes();
  SeriesStates one;
  one.put({}, state);
  EXPECT_EQ(one.file(), state);
  const SeriesStates loaded = load(state);
  EXPECT_TRUE(loaded.by().empty());
  ASSERT_NE(loaded.find({}), nullptr);
  EXPECT_EQ(*loaded.find({}), state);
}

TEST(SeriesStates, IsNoAggregatorAndSaysSo) {
  const auto message = test::error_of(
      [&] { Aggregator::load_bytes(some_states().file(), "many.state", make_method); });
  EXPECT_TRUE(test::mentions(message, "many.state"));
  EXPECT_TRUE(test::mentions(message, "several series"));
}

TEST(SeriesStates, TruncatedOrFlippedIsRefused) {
  const Bytes whole = some_states().file();
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 50) {
    EXPECT_TRUE(
        test::mentions(test::error_of([&] {
                         load({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
                       }),
                       "states"));
  }
  test::Random random(2);
  for (int repeat = 0; repeat < 500; ++repeat) {
    Bytes flipped = whole;
    flipped[random.below(whole.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
    EXPECT_THROW(load(flipped), Error);
  }
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_THROW(load(longer), Error);
}

// Anything inside, and a checksum that fits: refused, or loaded as something that saves itself.
TEST(SeriesStates, ForgedIsRefusedOrHarmless) {
  const Bytes whole = some_states().file();
  test::Random random(3);
  std::size_t refused = 0;
  for (int repeat = 0; repeat < 3000; ++repeat) {
    Bytes forged = whole;
    for (std::size_t n = 1 + random.below(4); n > 0; --n) {
      const std::size_t span = random.chance(0.5) ? 120 : whole.size() - test::kStateHeader - 4;
      forged[test::kStateHeader + random.below(span)] =
          static_cast<std::uint8_t>(random.chance(0.5) ? 0xff : random.below(256));
    }
    test::seal(forged);
    try {
      const SeriesStates loaded = load(forged);
      EXPECT_EQ(load(loaded.file()).all(), loaded.all());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace pcgs::compare
