#include "run/run_note.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pcgs/registry.h"
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

}  // namespace
}  // namespace pcgs::compare
