// Streams that leave memory, and processes that end, change nothing.
#include "stream/stream_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "stream/random_log.h"
#include "support/temp_dir.h"

namespace pcgs {

using namespace stream;
using test::random_log;

namespace {

class StreamTableTest : public ::testing::Test {
 protected:
  void open() {
    table_.reset();
    store_.reset();
    store_ = std::make_unique<store::Store>(dir_ / "store", "here");
    table_ = std::make_unique<StreamTable>(*store_, limits_);
  }
  test::TempDir dir_;
  TableLimits limits_{.streams = 20, .in_memory = 3, .events_between_snapshots = 7};
  std::unique_ptr<store::Store> store_;
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
    EXPECT_LE(table_->in_memory(), limits_.in_memory);
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
  store::Changes changes;
  changes.add_event("north", 2, "not an event");
  store_->commit(changes);
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

}  // namespace pcgs
