#include "run/series_states.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs::compare {
namespace {

using Bytes = SeriesStates::Bytes;
using Key = SeriesStates::Key;

class SeriesStatesFile : public ::testing::Test {
 protected:
  SeriesStates load(const Bytes& bytes) const {
    std::ofstream(dir_ / "states", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return SeriesStates::load(dir_ / "states");
  }
  std::string refused(const Bytes& bytes) const {
    return test::error_of([&] { load(bytes); });
  }

  const test::TempDir dir_;
};

SeriesStates some() {
  SeriesStates states({"store", "item"});
  for (const Key& key : {Key{"Köln", "milk"}, {"Köln", ""}, {"", ""}, {"a,b", "milk \"fresh\""}}) {
    Aggregator aggregator = make_aggregator("ml-poly", 2 + key[0].size());
    states.put(key, aggregator.save_bytes());
  }
  return states;
}

TEST_F(SeriesStatesFile, HoldsWhatWasPut) {
  const SeriesStates before = some(), after = load(before.file());
  EXPECT_EQ(after.by(), before.by());
  EXPECT_EQ(after.all(), before.all());
  EXPECT_EQ(after.file(), before.file());
  ASSERT_NE(after.find({"Köln", "milk"}), nullptr);
  EXPECT_EQ(*after.find({"Köln", "milk"}), *before.find({"Köln", "milk"}));
  EXPECT_EQ(after.find({"Köln", "bread"}), nullptr);
}

TEST_F(SeriesStatesFile, DoesNotDependOnTheOrderInWhichSeriesCame) {
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

TEST_F(SeriesStatesFile, OfOneSeriesIsWhatAnAggregatorSaves) {
  const Bytes state = make_aggregator("boa", 4).save_bytes();
  SeriesStates one;
  one.put({}, state);
  EXPECT_EQ(one.file(), state);
  const SeriesStates loaded = load(state);
  EXPECT_TRUE(loaded.by().empty());
  ASSERT_NE(loaded.find({}), nullptr);
  EXPECT_EQ(*loaded.find({}), state);
}

TEST_F(SeriesStatesFile, IsNoAggregatorAndSaysSo) {
  const auto message =
      test::error_of([&] { Aggregator::load_bytes(some().file(), "many.state", make_method); });
  EXPECT_TRUE(test::mentions(message, "many.state"));
  EXPECT_TRUE(test::mentions(message, "several series"));
}

TEST_F(SeriesStatesFile, TruncatedOrFlippedIsRefused) {
  const Bytes whole = some().file();
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 50) {
    EXPECT_TRUE(test::mentions(
        refused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), "states"));
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
  EXPECT_TRUE(test::mentions(test::error_of([&] { SeriesStates::load(dir_ / "none"); }), "none"));
}

// Anything inside, and a checksum that fits: refused, or loaded as something that saves itself.
TEST_F(SeriesStatesFile, ForgedIsRefusedOrHarmless) {
  const Bytes whole = some().file();
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
