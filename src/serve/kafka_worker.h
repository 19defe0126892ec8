// Streams over Kafka: events in, answers out, exactly once, on as many machines as there are partitions.
//
//     events --> GroupConsumer --> batch --> Partition::apply --> answers, due snapshots, offsets
//                                                                 | one transaction
//                                                                 v
//                                                 Kafka: committed, or as if nothing had been read
//                                                                 | then
//                                                                 v
//                                                 the cache on the disk, which may be behind and may be lost
//
// A stream's events have its name as their key, so one partition has all of them and one worker has the
// partition. A worker that the group has given up, and that does not know it, cannot commit: the
// transaction carries its membership. The next one waits until open transactions are over, loads the
// snapshots of the changelog, and replays the events from there to the committed offset.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/whole_file.h"
#include "serve/kafka_client.h"
#include "serve/store.h"
#include "serve/stream_table.h"

namespace pcgs::serve {

struct WorkerOptions {
  std::string brokers;  // HOST:PORT,...
  TopicNames topics;
  std::string group = "pcgs";
  std::string cache;                   // a folder of this worker alone
  std::size_t in_memory = 1000;        // streams of each partition
  std::size_t batch = 2000;            // events of one transaction at the most
  std::size_t wait_milliseconds = 20;  // for a batch to fill up
  std::size_t replay =
      0;                // events that a lost cache costs at the most; 0: as PartitionOptions has it
  Settings settings{};  // of librdkafka: encryption, passwords, time-outs
};

// Works until it is asked to stop. Throws Error if it cannot go on.
void run_worker(const WorkerOptions& options, const Stopping& stopping);

// The folder in which one worker keeps what it could read from Kafka again, but slowly.
//
//     worker          the worker's name, 16 random digits; locked while it lives
//     partition-N     a store (store.h) of the streams of one partition
class CacheFolder {
 public:
  // Makes the folder if need be. Throws Error if another worker has it.
  explicit CacheFolder(std::string folder);

  // The same after every start, so that Kafka knows which of two workers is the late one.
  const std::string& worker_name() const { return worker_name_; }
  std::string partition(std::int32_t number) const;

 private:
  std::string folder_;
  std::string worker_name_;
  Descriptor lock_;
};

// What a changelog holds, by the name of a stream: its latest snapshot.
struct ChangelogRecord {
  std::string instructions;   // the instruction set that it was computed with
  std::int64_t position = 0;  // of the events' partition; every event before it is in the snapshot
  TakenSnapshot snapshot;
};

// As a state file (state.h), so that what is damaged is refused. Holds no name: that is the key.
std::string record_bytes(const ChangelogRecord& record);
// Throws Error, naming the stream.
ChangelogRecord record_from(const std::string& stream, std::string_view bytes);

struct PartitionOptions {
  std::string folder;
  std::string source;  // whose events these are; the cache of another source is thrown away
  std::size_t in_memory = 1000;  // streams
  // A replay reads so many events at the most, or so many for each stream, if that is more.
  std::int64_t span = 50000;
  std::int64_t span_of_each_stream = 100;
};

// The streams of one partition of the events: a table over a cache on the disk.
//
// The cache is written after a transaction is committed, so it is never wrong, only behind: it holds the
// streams as they were at its position, and the events from there on bring it up to date. What is applied
// and not yet committed is in memory alone; after a transaction that failed, reopen() forgets it.
//
// A stream is unsaved from its first event that is in no snapshot of the changelog. A worker that lost its
// cache replays events from the oldest of these on, so none may get too old: beyond a span of events, its
// snapshot is taken whether it is worth it or not, and so it is when the owner says that time is up.
class Partition {
 public:
  explicit Partition(PartitionOptions options);

  // Whether the streams are as they were at the position. Not while nothing is known, or while a rebuild
  // is not finished.
  bool whole() const { return position_ && !rebuilding_; }
  // Of the next event. The rest is for partitions that are whole or being rebuilt.
  std::int64_t position() const { return *position_; }
  // Every event before this offset is in a snapshot that was taken.
  std::int64_t low() const;
  const StreamTable& table() const { return *table_; }
  // Null if there is none of this name. Throws Error if the cache is damaged.
  const Stream* find(const std::string& name) { return table_->find(name); }

  // The event at an offset, which becomes the position. Throws Error if the cache is damaged.
  Output apply(const std::string& name, const Event& event, std::int64_t offset);
  // The event at this offset is none.
  void skip(std::int64_t offset) { position_ = offset + 1; }

  // Every event so far is to be in a snapshot soon: take_snapshots() takes some of them each time. Kafka
  // deletes events by their age, so counting them is not enough.
  void save_all_so_far() { save_before_ = *position_; }
  bool saving() const { return low() < save_before_; }
  // The snapshots that go to the changelog with what was applied.
  const std::vector<TakenSnapshot>& take_snapshots();
  // What was applied is committed in Kafka; the cache may hold it. Snapshots that are due are taken for
  // the cache alone unless take_snapshots() has taken them: streams stay unsaved then.
  void commit();

  // Forgets what was applied since the last commit.
  void reopen();
  // Forgets everything.
  void clear();
  // After clear(): a stream as it was at a position at or behind the one that it will be brought to.
  void adopt(const TakenSnapshot& snapshot);
  // After clear(), and adopt() for every stream: where replaying begins. The cache counts as nothing
  // until finish_rebuild(), because some of its streams are ahead of the position.
  void begin_rebuild(std::int64_t low);
  void finish_rebuild();  // or whatever has brought it to its position
  // Snapshots of the changelog hold everything before this offset, whoever took them.
  void raise_low(std::int64_t low);

 private:
  void open();
  void set_unsaved(const std::string& name, std::int64_t since);
  PartitionOptions options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<StreamTable> table_;
  std::optional<std::int64_t> position_;
  bool rebuilding_ = false;
  std::int64_t save_before_ = 0;
  std::size_t applied_ = 0;  // since snapshots were taken
  std::unordered_map<std::string, std::int64_t> unsaved_since_;
  std::set<std::pair<std::int64_t, std::string>> unsaved_by_age_;
};

}  // namespace pcgs::serve
