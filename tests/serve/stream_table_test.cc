// Streams that leave memory, and processes that end, change nothing.
#include "serve/stream_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "serve/random_log.h"
#include "support/temp_dir.h"

namespace pcgs {

using namespace serve;
using test::random_log;

namespace {

class StreamTableTest : public ::testing::Test {
 protected:
  void open() {
    table_.reset();
    store_.reset();
    store_ = std::make_unique<serve::Store>(dir_ / "store", "here");
    table_ = std::make_unique<StreamTable>(*store_, limits_);
  }
  test::TempDir dir_;
  TableLimits limits_{.streams = 20, .in_memory = 3, .events_between_snapshots = 7};
  std::unique_ptr<serve::Store> store_;
  std::unique_ptr<StreamTable> table_;
};

}  // namespace

TEST_F(StreamTableTest, StreamsComeBackAsTheyWere) {
  constexpr std::size_t kStreams = 10, kEvents = 60;
  std::vector<std::vector<Event>> logs;
  for (std::size_t s = 0; s < kStreams; ++s) {
    logs.push_back(random_log(s % 2 == 0 ? "blend" : "ml-poly", "squared", kEvents, s));
  }
  open();
  std::mt19937_64 random(1);
  std::vector<std::size_t> done(kStreams);
  for (std::size_t left = kStreams * kEvents; left > 0; --left) {
    std::size_t s = random() % kStreams;
    while (done[s] == kEvents) s = (s + 1) % kStreams;
    ASSERT_EQ(table_->apply(std::to_string(s), logs[s][done[s]++]).verdict, Verdict::kDone);
    if (random() % 3 != 0) continue;
    table_->commit();
    EXPECT_LE(table_->counts().in_memory, limits_.in_memory);
    if (random() % 30 == 0) open();
  }
  table_->commit();
  EXPECT_GT(table_->counts().snapshots, 0u);
  EXPECT_GT(table_->counts().evictions, 0u);
  open();
  EXPECT_EQ(table_->names().size(), kStreams);
  for (std::size_t s = 0; s < kStreams; ++s) {
    Stream alone;
    for (const Event& event : logs[s]) alone.step(event);
    const Stream* stream = table_->find(std::to_string(s));
    ASSERT_NE(stream, nullptr);
    EXPECT_EQ(stream->save(), alone.save()) << "stream " << s;
  }
}

TEST_F(StreamTableTest, WhatWasNotCommittedIsGone) {
  const auto log = random_log("ml-poly", "squared", 10, 1);
  open();
  for (std::size_t i = 0; i < 6; ++i) table_->apply("north", log[i]);
  table_->commit();
  for (std::size_t i = 6; i < 10; ++i) table_->apply("north", log[i]);
  table_->apply("south", log[0]);
  open();
  EXPECT_EQ(table_->find("south"), nullptr);
  Stream six;
  for (std::size_t i = 0; i < 6; ++i) six.step(log[i]);
  EXPECT_EQ(table_->find("north")->save(), six.save());
}

TEST_F(StreamTableTest, ADamagedStreamIsRefusedAndTheOthersGoOn) {
  const auto log = random_log("ml-poly", "squared", 4, 1);
  open();
  for (const char* name : {"north", "south"}) {
    for (const Event& event : log) table_->apply(name, event);
  }
  table_->commit();
  store_->add_event("north", 2, "not an event");
  store_->commit();
  open();
  EXPECT_EQ(table_->apply("north", log[1]).verdict, Verdict::kDamaged);
  EXPECT_EQ(table_->apply("south", log[1]).verdict, Verdict::kRepeated);
}

TEST_F(StreamTableTest, StreamsAreBounded) {
  const auto log = random_log("ml-poly", "squared", 2, 1);
  open();
  for (std::size_t s = 0; s < limits_.streams; ++s) {
    ASSERT_EQ(table_->apply(std::to_string(s), log[0]).verdict, Verdict::kDone);
  }
  EXPECT_EQ(table_->apply("one more", log[0]).verdict, Verdict::kTooMany);
  EXPECT_EQ(table_->apply("one more", log[1]).verdict, Verdict::kUnknown);
  EXPECT_EQ(table_->apply("7", log[0]).verdict, Verdict::kRepeated);
}

namespace {

// A stream whose experts a and b forecast y + a and y + b, and which has learned so many rounds.
void play(StreamTable& table, const std::string& name, double a, double b, int rounds) {
  table.apply(name, Made{{{"a", "b"}, "squared", 0.5, {}, "ml-poly"}});
  for (int t = 0; t < rounds; ++t) {
    const std::string id = std::to_string(t);
    table.apply(name, RoundOpened{id, {{"a", t + a}, {"b", t + b}}});
    table.apply(name, OutcomeSeen{id, double(t)});
  }
}

}  // namespace

TEST_F(StreamTableTest, TheWorstBesideEqualWeightsAreKnownWithoutAskingEveryStream) {
  limits_.in_memory = 4;
  open();
  play(*table_, "few", 1, 9, int(kFewestJudged) - 1);
  play(*table_, "good", 1, 9, 40);
  play(*table_, "bad", -5, 5.5, 40);  // the mean is nearly right, and nothing else is
  play(*table_, "exact", -5, 5, 40);  // equal weights have no error to divide by
  EXPECT_TRUE(table_->worst(10).empty()) << "nothing is committed";
  table_->commit();
  const auto worst = table_->worst(10);
  ASSERT_EQ(worst.size(), 2u);
  EXPECT_EQ(worst[0].stream, "bad");
  EXPECT_EQ(worst[1].stream, "good");
  EXPECT_EQ(worst[1].ratio, table_->peek("good")->errors()->ratio);
  EXPECT_GT(worst[0].ratio, worst[1].ratio);
  EXPECT_EQ(table_->worst(1).size(), 1u);

  play(*table_, "few", 1, 9, int(kFewestJudged));
  table_->commit();
  EXPECT_EQ(table_->worst(10).size(), 3u);
  for (const char* other : {"n1", "n2", "n3", "n4"}) play(*table_, other, 1, 2, 1);
  table_->commit();
  EXPECT_TRUE(table_->worst(10).empty()) << "they left memory";
  ASSERT_NE(table_->find("bad"), nullptr);
  ASSERT_EQ(table_->worst(10).size(), 1u);
  EXPECT_EQ(table_->worst(10)[0].ratio, worst[0].ratio);
}

TEST_F(StreamTableTest, CountsWhatIsInMemoryAndWhatIsDone) {
  open();
  play(*table_, "north", 1, 2, 3);
  table_->apply("north", RoundOpened{"x", {{"a", 1}}});
  table_->apply("north", RoundOpened{"x", {{"a", 1}}});  // again
  table_->apply("south", Made{{{"a"}, "squared", 0.5, {}, "ml-poly"}});
  table_->apply("south", RoundOpened{"x", {{"a", 1}}});
  table_->commit();
  EXPECT_EQ(table_->counts().open_rounds, 2u);
  EXPECT_EQ(table_->counts().events, 10u);
  EXPECT_EQ(table_->counts().rounds, 5u);
  EXPECT_EQ(table_->counts().outcomes, 3u);
  EXPECT_EQ(table_->counts().loads, 0u);
  EXPECT_EQ(table_->counts().hits, 9u);
  const auto bytes = table_->counts().committed_bytes;
  EXPECT_GT(bytes, 1000u);
  table_->commit();
  EXPECT_EQ(table_->counts().committed_bytes, bytes) << "nothing was written";

  open();
  EXPECT_EQ(table_->peek("north"), nullptr);
  EXPECT_EQ(table_->counts().open_rounds, 0u);
  ASSERT_NE(table_->find("north"), nullptr);
  ASSERT_NE(table_->peek("north"), nullptr);
  EXPECT_EQ(table_->counts().open_rounds, 1u);
  EXPECT_EQ(table_->counts().loads, 1u);
  EXPECT_EQ(table_->counts().rounds, 0u) << "replayed rounds are not new";
}

}  // namespace pcgs
