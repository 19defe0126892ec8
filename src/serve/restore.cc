#include "serve/restore.h"

#include <fmt/format.h>

#include <unordered_map>

#include "core/kernels.h"
#include "pcgs/error.h"
#include "serve/log_line.h"

namespace pcgs::worker {

namespace {

// Messages after which the cache is written while it is brought up to date, to bound what is in memory.
constexpr std::size_t kMessagesOfACommit = 5000;
constexpr std::size_t kBytesOfACommit = std::size_t{32} << 20;

// By stream: the position of the snapshot that it begins with.
using Positions = std::unordered_map<std::string, std::int64_t>;

void check_instructions(const std::string& instructions, const std::string& what) {
  if (instructions == instruction_set()) return;
  throw Error(
      fmt::format("{} was computed with {} instructions, and this machine computes with {}, which "
                  "gives other last digits; run all workers of a group on machines of one kind",
                  what, instructions, instruction_set()));
}

class Restorer {
 public:
  Restorer(Partition& partition, std::int32_t number, const RestoreTopics& topics,
           const TopicReader& reader, const std::function<bool()>& idle)
      : partition_(partition), number_(number), topics_(topics), reader_(reader), idle_(idle) {}

  // Snapshots of the changelog, none of them beyond the position.
  bool adopt_snapshots(std::int64_t position) {
    const Offsets there = reader_.offsets(topics_.changelog, number_);
    std::size_t bytes = 0;
    const auto adopt = [&](const KafkaMessage& message) {
      const ChangelogRecord record = record_from(message.key, message.value);
      check_instructions(record.instructions, fmt::format("the changelog of {}", message.key));
      if (record.position > position) {
        throw Error(fmt::format(
            "{}: holds {} as of offset {} of partition {}, and the group has come to {}; use the "
            "group that wrote this changelog, or another changelog",
            topics_.changelog, message.key, record.position, number_, position));
      }
      partition_.adopt(record.snapshot);
      held_[message.key] = record.position;
      bytes += message.value.size();
      if (bytes > kBytesOfACommit) {
        partition_.commit();
        bytes = 0;
      }
    };
    return reader_.read(topics_.changelog, number_, there.first, there.end, adopt, idle_);
  }

  bool replay(std::int64_t begin, std::int64_t end) {
    std::size_t messages = 0;
    const auto apply = [&](const KafkaMessage& message) {
      const auto held = held_.find(message.key);
      if (held != held_.end() && message.offset < held->second) {
        partition_.skip(message.offset);
      } else {
        apply_message(partition_, message);
      }
      if (++messages % kMessagesOfACommit == 0) partition_.commit();
    };
    if (!reader_.read(topics_.events, number_, begin, end, apply, idle_)) return false;
    partition_.skip(end - 1);  // marks of transactions may lie between the last event and the end
    replayed_ = messages;
    return true;
  }

  std::size_t snapshots() const { return held_.size(); }
  std::size_t replayed() const { return replayed_; }

 private:
  Partition& partition_;
  std::int32_t number_;
  const RestoreTopics& topics_;
  const TopicReader& reader_;
  const std::function<bool()>& idle_;
  Positions held_;
  std::size_t replayed_ = 0;
};

}  // namespace

Done apply_message(Partition& partition, const KafkaMessage& message) {
  Done done{serve::read_event_line(message.value), {}};
  if (done.line.event && done.line.event->stream != message.key) {
    done.line = {{},
                 "the key of the message is not the name of its stream; a stream keeps to a "
                 "partition by its key"};
  }
  if (const auto& event = done.line.event) {
    done.output = partition.apply(event->stream, event->event, message.offset);
  } else {
    partition.skip(message.offset);
  }
  return done;
}

bool restore(Partition& partition, std::int32_t number, const Committed& committed,
             const RestoreTopics& topics, const TopicReader& reader,
             const std::function<bool()>& idle) {
  if (committed.note) {
    check_instructions(committed.note->instructions, fmt::format("partition {}", number));
  }
  const std::int64_t low = committed.note ? committed.note->low : committed.position;
  const bool usable = partition.whole() && partition.position() >= low &&
                      partition.position() <= committed.position;
  Restorer restorer(partition, number, topics, reader, idle);
  if (usable) {
    partition.raise_low(low);
  } else {
    partition.clear();
    partition.begin_rebuild(low);
    if (!restorer.adopt_snapshots(committed.position)) return false;
    partition.commit();
  }
  if (!restorer.replay(partition.position(), committed.position)) return false;
  if (usable) {
    partition.commit();
  } else {
    partition.finish_rebuild();
  }
  serve::log_line("info", "partition restored",
                  {{"partition", number},
                   {"position", committed.position},
                   {"streams", partition.table().names().size()},
                   {"from_cache", usable},
                   {"snapshots", restorer.snapshots()},
                   {"replayed", restorer.replayed()}});
  return true;
}

}  // namespace pcgs::worker
