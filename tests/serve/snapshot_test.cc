// Snapshots of every version that was ever written.
#include <gtest/gtest.h>

#include "data/whole_file.h"
#include "serve/stream.h"
#include "support/data_file.h"
#include "support/expect.h"

namespace pcgs {

using namespace stream;

namespace {

RoundOpened round_at(int t) {
  return {"t" + std::to_string(t), {{"a", 10.0 + t}, {"b", 12.0 + t}}};
}

// What snapshot-1 holds: experts a and b, rounds t0 to t3 learned, t4 open, t5 abandoned, and c came.
std::string first_snapshot() {
  const auto bytes = read_whole_file(test::data_file("golden/formats/snapshot-1"), 1 << 16);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST(Snapshot, OfTheFirstVersionGoesOnAndCountsErrorsFromThere) {
  Stream stream = Stream::load(first_snapshot(), "snapshot-1");
  EXPECT_EQ(stream.aggregator().rounds(), 4);
  EXPECT_EQ(stream.aggregator().names(), (Names{"a", "b", "c"}));
  EXPECT_EQ(stream.open_ids(), (Names{"t4"}));
  EXPECT_EQ(stream.errors().rounds(), 0u);
  for (int t = 0; t < 6; ++t) {
    EXPECT_EQ(stream.step(round_at(t)).verdict, Verdict::kRepeated) << t;
  }
  EXPECT_EQ(stream.step(OutcomeSeen{"t3", 13.5}).verdict, Verdict::kRepeated);
  EXPECT_EQ(stream.step(RoundAbandoned{"t5"}).verdict, Verdict::kRepeated);
  EXPECT_EQ(stream.step(ExpertAdded{"c comes", "c"}).verdict, Verdict::kRepeated);

  // The mean of what was open then is not known.
  EXPECT_EQ(stream.step(OutcomeSeen{"t4", 14.5}).verdict, Verdict::kDone);
  EXPECT_EQ(stream.aggregator().rounds(), 5);
  EXPECT_EQ(stream.errors().rounds(), 0u);
  EXPECT_EQ(stream.step(round_at(6)).verdict, Verdict::kDone);
  stream = Stream::load(stream.save(), "snapshot of now");
  EXPECT_EQ(stream.step(OutcomeSeen{"t6", 16.5}).verdict, Verdict::kDone);
  EXPECT_EQ(stream.errors().rounds(), 1u);
  EXPECT_EQ(stream.errors().equal_weights(TaskLoss("squared")), 0.5);
}

TEST(Snapshot, DamagedBytesAreRefused) {
  Stream stream = Stream::load(first_snapshot(), "snapshot-1");
  for (const std::string& whole : {first_snapshot(), stream.save()}) {
    for (std::size_t i = 0; i < whole.size(); i += 7) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 4);
      EXPECT_NE(test::error_of([&] { Stream::load(damaged, "damaged"); }), "") << "byte " << i;
      EXPECT_NE(test::error_of([&] { Stream::load(whole.substr(0, i), "cut"); }), "") << i;
    }
  }
}

}  // namespace pcgs
