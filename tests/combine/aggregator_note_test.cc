// What the owner of an aggregator keeps with it, and rounds that nobody forecasts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/forge.h"
#include "support/random.h"
#include "support/temp_dir.h"

namespace pcgs {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

Aggregator load(const Bytes& file) {
  return Aggregator::load_bytes(file, "some.state", make_method);
}

TEST(AggregatorNote, IsKeptWithTheState) {
  const test::TempDir dir;
  std::string any;
  for (int byte = 0; byte < 256; ++byte) any += static_cast<char>(byte);
  for (const std::string& note : {std::string(), std::string("until 2026-03-01"), any,
                                  std::string(Aggregator::kLongestNote, 'x')}) {
    Aggregator aggregator = make_aggregator("ml-poly", 2);
    EXPECT_EQ(aggregator.note(), "");
    aggregator.set_note(note);
    EXPECT_EQ(aggregator.note(), note);
    EXPECT_EQ(load(aggregator.save_bytes()).note(), note);
    EXPECT_EQ(load(aggregator.save_bytes()).save_bytes(), aggregator.save_bytes());
    aggregator.save(dir / "a.state");
    EXPECT_EQ(load_aggregator(dir / "a.state").note(), note);
  }
}

TEST(AggregatorNote, ChangesNothingElse) {
  Aggregator plain = make_aggregator("boa", 3), noted = make_aggregator("boa", 3);
  test::Random random(1);
  for (int t = 0; t < 20; ++t) {
    noted.set_note(std::to_string(t));
    const Numbers losses = random.losses(3);
    plain.learn(losses);
    noted.learn(losses);
    EXPECT_TRUE(test::same_bits(plain.weights(), noted.weights()));
  }
  noted.set_note("");
  EXPECT_EQ(plain.save_bytes(), noted.save_bytes()) << "an empty note is none";
}

TEST(AggregatorNote, ThatIsTooLongIsRefusedAndTheOldOneStays) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  aggregator.set_note("old");
  const auto message =
      test::error_of([&] { aggregator.set_note(std::string(Aggregator::kLongestNote + 1, 'x')); });
  EXPECT_TRUE(test::mentions(message, std::to_string(Aggregator::kLongestNote)));
  EXPECT_EQ(aggregator.note(), "old");
}

// Where the length of a note stands in a file: before its text.
std::size_t place_of_length(const Bytes& file, const std::string& note) {
  const auto at = std::search(file.begin(), file.end(), note.begin(), note.end());
  return static_cast<std::size_t>(at - file.begin()) - 8;
}

TEST(AggregatorNote, ThatIsForgedIsRefused) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  const std::string note(1000, 'n');
  aggregator.set_note(note);
  const Bytes file = aggregator.save_bytes();
  const std::size_t at = place_of_length(file, note);
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{999}, std::uint64_t{1001}, std::uint64_t{1} << 20,
        std::uint64_t{1} << 40, std::numeric_limits<std::uint64_t>::max()}) {
    Bytes forged = file;
    test::put_u64(forged, at, length);
    test::seal(forged);
    EXPECT_TRUE(test::mentions(test::error_of([&] { load(forged); }), "some.state")) << length;
  }
}

TEST(AggregatorNote, LongerThanAnyIsRefusedInAFileToo) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  const std::string note(Aggregator::kLongestNote, 'n');
  aggregator.set_note(note);
  const Bytes file = aggregator.save_bytes();
  Bytes forged = file;
  const std::size_t at = place_of_length(file, note);
  forged.insert(forged.begin() + static_cast<std::ptrdiff_t>(at) + 8, 'n');
  test::put_u64(forged, at, note.size() + 1);
  test::put_u64(forged, 24, forged.size() - test::kStateHeader - 4);
  test::seal(forged);
  EXPECT_TRUE(test::mentions(test::error_of([&] { load(forged); }), "note is too long"));
}

TEST(AggregatorSkip, CountsRoundsAndNothingElse) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  aggregator.skip(5);
  EXPECT_EQ(aggregator.last_opened(), 5);
  EXPECT_EQ(aggregator.open_rounds(), 0u);
  EXPECT_EQ(aggregator.rounds(), 0);
  EXPECT_EQ(aggregator.skipped(), 0);
  aggregator.predict(Numbers{1, 2});
  EXPECT_EQ(aggregator.last_opened(), 6);
  aggregator.skip(3);  // with a round open
  aggregator.skip(0);
  EXPECT_EQ(aggregator.last_opened(), 9);
  aggregator.learn(6, 1.5);
  EXPECT_EQ(aggregator.rounds(), 1);
  EXPECT_EQ(load(aggregator.save_bytes()).last_opened(), 9);
}

TEST(AggregatorSkip, RefusesToGoBackAndToOverflow) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  aggregator.skip(10);
  const Bytes before = aggregator.save_bytes();
  for (const std::int64_t rounds : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()}) {
    test::error_of([&] { aggregator.skip(rounds); });
    EXPECT_EQ(aggregator.save_bytes(), before);
  }
}

// Two phases, told apart by nothing but the clock: an expert is right in each, and a round is missing
// now and then.
TEST(AggregatorSkip, PhasesOfASeasonKeepToTheClock) {
  Aggregator keeps = make_aggregator("blend{season=2}", 2),
             loses = make_aggregator("blend{season=2}", 2);
  test::Random random(3);
  double with = 0, without = 0;
  std::int64_t clock = 0;
  for (int t = 0; t < 600; ++t) {
    const std::int64_t gap = random.chance(0.3) ? 1 : 0;
    clock += 1 + gap;
    keeps.skip(gap);
    const double y = random.uniform(-5, 5), off = random.uniform(2, 3);
    const Numbers forecasts = {y + (clock % 2 == 0 ? 0 : off), y + (clock % 2 == 0 ? off : 0)};
    const double one = keeps.predict(forecasts), other = loses.predict(forecasts);
    keeps.learn(y);
    loses.learn(y);
    if (t < 200) continue;
    with += (one - y) * (one - y);
    without += (other - y) * (other - y);
  }
  EXPECT_LT(with, 0.5 * without);
}

}  // namespace
}  // namespace pcgs
