// A partition's cache is behind at the worst, and knows how far back a replay has to begin.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <random>

#include "pcgs/error.h"
#include "serve/kafka_worker.h"
#include "serve/random_log.h"
#include "support/temp_dir.h"

namespace pcgs {

using namespace serve;

namespace {

const Made kMade{{{"a"}, "squared", 0.5, {}, "ml-poly"}};
constexpr std::int64_t kSpan = 20, kSpanOfEachStream = 5;

struct Placed {
  std::string stream;
  Event event;
};

// Events of several streams in one partition, in a random order of streams.
std::vector<Placed> random_partition(std::size_t streams, std::size_t events, std::uint64_t seed) {
  std::vector<std::vector<Event>> logs;
  for (std::size_t s = 0; s < streams; ++s) {
    logs.push_back(test::random_log("ml-poly", "squared", events, 100 * seed + s));
  }
  std::mt19937_64 random(seed);
  std::vector<std::size_t> at(streams);
  std::vector<Placed> out;
  while (out.size() < streams * events) {
    const std::size_t s = random() % streams;
    if (at[s] < events) out.push_back({std::to_string(s), logs[s][at[s]++]});
  }
  return out;
}

std::map<std::string, std::string> offline(const std::vector<Placed>& events, std::size_t count) {
  std::map<std::string, Stream> streams;
  for (std::size_t i = 0; i < count; ++i) streams[events[i].stream].step(events[i].event);
  std::map<std::string, std::string> out;
  for (const auto& [name, stream] : streams) out[name] = stream.save();
  return out;
}

std::map<std::string, std::string> saved(Partition& partition) {
  std::map<std::string, std::string> out;
  for (const std::string& name : partition.table().names()) {
    out[name] = partition.find(name)->save();
  }
  return out;
}

class PartitionTest : public ::testing::Test {
 protected:
  std::unique_ptr<Partition> open(const std::string& folder, const std::string& source = "here") {
    return std::make_unique<Partition>(
        PartitionOptions{dir_ / folder, source, /*in_memory=*/2, kSpan, kSpanOfEachStream});
  }
  // From nothing, as a worker begins in a new group.
  std::unique_ptr<Partition> open_new(const std::string& folder) {
    auto partition = open(folder);
    partition->begin_rebuild(0);
    partition->finish_rebuild();
    return partition;
  }
  test::TempDir dir_;
};

}  // namespace

TEST_F(PartitionTest, HoldsWhatWasCommittedAndForgetsTheRest) {
  const auto events = random_partition(5, 60, 1);
  auto partition = open_new("cache");
  std::mt19937_64 random(2);
  std::size_t committed = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSERT_EQ(partition->position(), static_cast<std::int64_t>(i));
    partition->apply(events[i].stream, events[i].event, static_cast<std::int64_t>(i));
    if (random() % 4 == 0) {
      partition->take_snapshots();
      partition->commit();
      committed = i + 1;
    } else if (random() % 16 == 0) {
      if (random() % 2 == 0) partition->take_snapshots();  // of a transaction that is aborted
      if (random() % 2 == 0) {
        partition->reopen();
      } else {
        partition.reset();
        partition = open("cache");
      }
      ASSERT_TRUE(partition->whole());
      ASSERT_EQ(partition->position(), static_cast<std::int64_t>(committed));
      ASSERT_EQ(saved(*partition), offline(events, committed));
      i = committed - 1;
    }
  }
}

TEST_F(PartitionTest, SnapshotsAndTheEventsFromTheLowOffsetOnGiveTheSameStreams) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto events = random_partition(6, 80, seed);
    auto partition = open_new("cache-" + std::to_string(seed));
    std::map<std::string, std::pair<std::int64_t, TakenSnapshot>> changelog;
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < events.size(); ++i) {
      partition->apply(events[i].stream, events[i].event, static_cast<std::int64_t>(i));
      if (random() % 5 != 0) continue;
      for (const TakenSnapshot& snapshot : partition->take_snapshots()) {
        changelog[snapshot.name] = {partition->position(), snapshot};
      }
      const std::int64_t low = partition->low(), end = partition->position();
      EXPECT_GE(low, end - 6 * kSpanOfEachStream);
      partition->commit();
      if (random() % 20 != 0) continue;
      auto rebuilt = open("rebuilt");
      rebuilt->clear();
      EXPECT_FALSE(rebuilt->whole());
      rebuilt->begin_rebuild(low);
      for (const auto& [name, record] : changelog) rebuilt->adopt(record.second);
      rebuilt->commit();
      for (std::int64_t j = low; j < end; ++j) {
        const Placed& one = events[static_cast<std::size_t>(j)];
        const auto held = changelog.find(one.stream);
        if (held != changelog.end() && j < held->second.first) {
          rebuilt->skip(j);
        } else {
          ASSERT_EQ(rebuilt->apply(one.stream, one.event, j).verdict, Verdict::kDone);
        }
      }
      EXPECT_FALSE(rebuilt->whole());
      rebuilt->finish_rebuild();
      EXPECT_EQ(saved(*rebuilt), offline(events, i + 1));
      // What was replayed is in no snapshot that was taken here, so it is still needed.
      EXPECT_LE(rebuilt->low(), partition->low());
    }
    EXPECT_FALSE(changelog.empty());
  }
}

TEST_F(PartitionTest, NoStreamStaysUnsavedForLongerThanTheSpan) {
  auto partition = open_new("cache");
  partition->apply("quiet", kMade, 0);
  partition->apply("busy", kMade, 1);
  EXPECT_EQ(partition->low(), 0);
  std::int64_t offset = 2;
  bool quiet_saved = false;
  for (; offset < 3 * kSpan; ++offset) {
    partition->apply("busy", RoundOpened{std::to_string(offset), {{"a", 1}}}, offset);
    for (const TakenSnapshot& one : partition->take_snapshots()) quiet_saved |= one.name == "quiet";
    partition->commit();
    EXPECT_GE(partition->low(), partition->position() - kSpan);
  }
  EXPECT_TRUE(quiet_saved);
}

TEST_F(PartitionTest, EverythingIsSavedWhenTimeIsUp) {
  auto partition = open_new("cache");
  constexpr std::int64_t kStreams = 500;  // more than are taken at once
  for (std::int64_t s = 0; s < kStreams; ++s) partition->apply(std::to_string(s), kMade, s);
  EXPECT_FALSE(partition->saving());
  partition->take_snapshots();  // of those events
  partition->commit();
  partition->save_all_so_far();
  std::size_t times = 0;
  for (; partition->saving(); ++times) {
    partition->take_snapshots();
    partition->commit();
    ASSERT_LT(times, 10u);
  }
  EXPECT_GT(times, 1u);
  EXPECT_EQ(partition->low(), kStreams);
}

TEST_F(PartitionTest, UnsavedStreamsAreKnownAfterALoad) {
  auto partition = open_new("cache");
  partition->apply("a", kMade, 3);
  partition->apply("b", kMade, 7);
  partition->commit();
  partition.reset();
  partition = open("cache");
  EXPECT_EQ(partition->low(), 3);
  EXPECT_EQ(partition->position(), 8);
  // Another worker has taken snapshots meanwhile.
  partition->raise_low(5);
  EXPECT_EQ(partition->low(), 5);
  partition->commit();
  partition.reset();
  EXPECT_EQ(open("cache")->low(), 5);
}

TEST_F(PartitionTest, TheCacheOfAnotherSourceIsThrownAway) {
  auto partition = open_new("cache");
  partition->apply("a", kMade, 0);
  partition->commit();
  partition.reset();
  partition = open("cache", "elsewhere");
  EXPECT_FALSE(partition->whole());
  EXPECT_TRUE(partition->table().names().empty());
}

TEST_F(PartitionTest, ARebuildThatWasCutOffCountsAsNothing) {
  auto partition = open_new("cache");
  partition->clear();
  partition->begin_rebuild(0);
  partition->apply("a", kMade, 0);
  partition->commit();
  partition.reset();
  EXPECT_FALSE(open("cache")->whole());
}

TEST(ChangelogRecord, ComesBackAsItWas) {
  const ChangelogRecord record{"AVX2", 77, {"north", 12, std::string("some\0bytes", 10)}};
  const ChangelogRecord again = record_from("north", record_bytes(record));
  EXPECT_EQ(again.instructions, "AVX2");
  EXPECT_EQ(again.position, 77);
  EXPECT_EQ(again.snapshot.name, "north");
  EXPECT_EQ(again.snapshot.last_event, 12u);
  EXPECT_EQ(again.snapshot.bytes, record.snapshot.bytes);
  EXPECT_THROW(record_from("north", event_bytes(kMade)), Error);
}

TEST(OffsetNote, IsReadAsItWasWrittenAndNothingElseIs) {
  const auto note = note_from(note_text({"AVX3 ZEN4", 123}));
  ASSERT_TRUE(note);
  EXPECT_EQ(note->instructions, "AVX3 ZEN4");
  EXPECT_EQ(note->low, 123);
  for (const char* text : {"", "pcgs 1 ", "pcgs 2 5 AVX2", "pcgs 1 5", "pcgs 1 -5 AVX2",
                           "pcgs 1 x AVX2", "something else"}) {
    EXPECT_FALSE(note_from(text)) << text;
  }
}

TEST(CacheFolder, KeepsItsNameAndLetsNoOtherWorkerIn) {
  const test::TempDir dir;
  const std::string folder = dir / "cache";
  std::string name;
  {
    const CacheFolder cache(folder);
    name = cache.worker_name();
    EXPECT_EQ(name.size(), 16u);
    EXPECT_THROW(CacheFolder{folder}, Error);
  }
  EXPECT_EQ(CacheFolder(folder).worker_name(), name);
  EXPECT_NE(CacheFolder(dir / "other").worker_name(), name);
  std::ofstream(folder + "/worker") << "cut o";
  EXPECT_EQ(CacheFolder(folder).worker_name().size(), 16u);
}

TEST(SettingsFile, NamesTheLineThatIsWrong) {
  const test::TempDir dir;
  const std::string file = dir / "settings";
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return read_settings(file);
  };
  const Settings expected = {{"security.protocol", "ssl"}, {"sasl.username", "a=b"}};
  EXPECT_EQ(read("# secrets\n\n security.protocol = ssl\r\nsasl.username=a=b\n"), expected);
  struct Wrong {
    std::string text;
    std::size_t line;
    ErrorKind kind;
  };
  for (const auto& [text, line, kind] :
       std::vector<Wrong>{{"security.protocol", 1, ErrorKind::kFormat},
                          {"\n=x", 2, ErrorKind::kFormat},
                          {"\n\nno.such=1", 3, ErrorKind::kUnknown},
                          {"session.timeout.ms=soon", 1, ErrorKind::kUnknown},
                          {"isolation.level=read_uncommitted", 1, ErrorKind::kRequest},
                          {"group.id=x", 1, ErrorKind::kRequest}}) {
    try {
      read(text);
      FAIL() << text;
    } catch (const Error& wrong) {
      EXPECT_EQ(wrong.kind(), kind) << text;
      EXPECT_EQ(wrong.place().file, file);
      EXPECT_EQ(wrong.place().line, line) << text;
    }
  }
  EXPECT_THROW(read_settings(dir / "none"), Error);
}

}  // namespace pcgs
