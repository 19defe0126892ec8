#include "serve/kafka_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <unordered_map>

#include "core/kernels.h"
#include "pcgs/error.h"
#include "serve/service_json.h"

namespace pcgs::serve {

namespace {

// Messages after which the cache is written while it is brought up to date, to bound what is in memory.
constexpr std::size_t kMessagesOfACommit = 5000;
constexpr std::size_t kBytesOfACommit = std::size_t{32} << 20;

// By stream: the position of the snapshot that it begins with.
using Positions = std::unordered_map<std::string, std::int64_t>;

void check_instructions(const std::string& instructions, const std::string& what) {
  if (instructions == instruction_set()) return;
  throw Error(
      ErrorKind::kMismatch, {},
      fmt::format("{} was computed with {} instructions, and this machine computes with {}, which "
                  "gives other last digits; run all workers of a group on machines of one kind",
                  what, instructions, instruction_set()));
}

// What the live loop and a replay do with an event, so that they cannot differ. Gives the answer.
std::string apply_message(Partition& partition, const KafkaMessage& message) {
  EventLine line = read_event_line(message.value);
  if (line.event && line.stream != message.key) {
    line = {
        {},
        {},
        "the key of the message is not the name of its stream; a stream keeps to a partition by "
        "its key"};
  }
  if (!line.event) {
    partition.skip(message.offset);
    return answer_line(line, {});
  }
  return answer_line(line, partition.apply(line.stream, *line.event, message.offset));
}

using Clock = std::chrono::steady_clock;

constexpr int kIdleMilliseconds = 100;
// After which every event is in a snapshot, so that the brokers may delete it.
constexpr std::chrono::hours kSaveEvery(1);

// What all clients share; those of the user come last and win.
Settings settings(const WorkerOptions& options, const Settings& mine) {
  return with(with(mine, {{"bootstrap.servers", options.brokers}, {"client.id", "pcgs-worker"}}),
              options.settings);
}

const Settings kConsumer = {{"partition.assignment.strategy", "cooperative-sticky"},
                            {"session.timeout.ms", "10000"},
                            {"fetch.wait.max.ms", "50"}};
// A transaction that its worker will never end holds up whoever reads the answers; not for long.
const Settings kProducer = {{"transaction.timeout.ms", "15000"},
                            {"allow.auto.create.topics", "false"},
                            {"linger.ms", "2"},
                            {"compression.type", "lz4"},
                            {"partitioner", "murmur2_random"},
                            {"message.max.bytes", "67108864"}};

// A partition of the events and this worker's part in it.
struct Slot {
  enum class State : std::uint8_t { kAway, kToRestore, kReady };
  State state = State::kAway;
  std::unique_ptr<Partition> partition;  // kept while it is away: it may come back
  Committed committed{};
  std::uint64_t assignment = 0;  // how often it was assigned
  bool seek = false;             // the consumer is elsewhere
  bool unnoted = false;          // the group has committed no offset yet
  Clock::time_point saved{};     // when everything was last asked to be
};

class Worker {
 public:
  Worker(const WorkerOptions& options, const Stopping& stopping)
      : options_(options),
        stopping_(stopping),
        cache_(options.cache),
        producer_(settings(options, kProducer),
                  fmt::format("{}-{}", options.group, cache_.worker_name()), stopping),
        partitions_(check_topics(producer_.handle(), options.topics, stopping)),
        source_(fmt::format("{} {} {}", cluster_name(producer_.handle(), stopping),
                            options.topics.events, options.group)),
        reader_(settings(options, {}), stopping),
        consumer_(
            with({{"group.id", options.group}}, settings(options, kConsumer)),
            options.topics.events,
            [this](std::int32_t number, const Committed* at) { rebalanced(number, at); }, reader_,
            stopping) {
    log_line("info", "working",
             {{"events", options.topics.events},
              {"partitions", partitions_},
              {"group", options.group},
              {"worker", cache_.worker_name()}});
  }

  void run() {
    while (!stopping_()) {
      gather();
      if (restore_one()) continue;
      const std::set<std::int32_t> touched = to_commit();
      if (!touched.empty()) work_on_batch(touched);
    }
  }

 private:
  void rebalanced(std::int32_t number, const Committed* committed) {
    Slot& slot = slots_[number];
    if (committed == nullptr) {
      log_line("info", "partition revoked", {{"partition", number}});
      slot.state = Slot::State::kAway;
      std::erase_if(batch_, [&](const KafkaMessage& one) { return one.partition == number; });
      return;
    }
    log_line("info", "partition assigned",
             {{"partition", number}, {"position", committed->position}});
    slot.state = Slot::State::kToRestore;
    slot.committed = *committed;
    ++slot.assignment;
    slot.seek = false;
  }

  // A partition that is ours and not as its group left it, or the end.
  auto to_restore() {
    return std::ranges::find(slots_, Slot::State::kToRestore,
                             [](const auto& one) { return one.second.state; });
  }

  void gather() {
    auto end = Clock::now() +
               std::chrono::milliseconds(to_restore() == slots_.end() ? kIdleMilliseconds : 0);
    while (batch_.size() < options_.batch) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      auto message = consumer_.poll(static_cast<int>(std::max(left, left.zero()).count()));
      if (!message) {
        if (Clock::now() >= end) return;
        continue;
      }
      if (batch_.empty()) {
        end = Clock::now() + std::chrono::milliseconds(options_.wait_milliseconds);
      }
      batch_.push_back(std::move(*message));
    }
  }

  // Keeps this worker in its group while a partition is being restored, and says whether that is still
  // wanted.
  bool keep_alive(const Slot& slot, std::uint64_t assignment) {
    if (auto message = consumer_.poll(0)) batch_.push_back(std::move(*message));
    return slot.state == Slot::State::kToRestore && slot.assignment == assignment;
  }

  PartitionOptions partition_options(std::int32_t number) const {
    PartitionOptions out{cache_.partition(number), fmt::format("{} {}", source_, number),
                         options_.in_memory};
    if (options_.replay > 0) {
      out.span = static_cast<std::int64_t>(options_.replay);
      out.span_of_each_stream = 0;
    }
    return out;
  }

  bool restore_one() {
    const auto at = to_restore();
    if (at == slots_.end()) return false;
    const std::int32_t number = at->first;
    Slot& slot = at->second;
    if (!slot.partition) {
      slot.partition = std::make_unique<Partition>(partition_options(number));
    }
    const Committed goal = slot.committed;
    const auto idle = [&, assignment = slot.assignment] { return keep_alive(slot, assignment); };
    if (!restore(*slot.partition, number, goal, idle)) return true;
    if (slot.seek && !consumer_.seek(number, goal.position)) {
      idle();
      return true;
    }
    slot.state = Slot::State::kReady;
    slot.unnoted = !goal.note;
    slot.saved = Clock::now();
    consumer_.start(number);
    return true;
  }

  // Brings the streams of a partition to the offset that their group has committed. False if `idle` said so
  // before it was done; then the partition must be restored again before it is used. Throws Error if the
  // changelog or the events do not lead to the offset.
  bool restore(Partition& partition, std::int32_t number, const Committed& goal,
               const std::function<bool()>& idle) {
    if (goal.note) {
      check_instructions(goal.note->instructions, fmt::format("partition {}", number));
    }
    const std::int64_t low = goal.note ? goal.note->low : goal.position;
    const bool usable =
        partition.whole() && partition.position() >= low && partition.position() <= goal.position;
    Positions held;
    if (usable) {
      partition.raise_low(low);
    } else {
      partition.clear();
      partition.begin_rebuild(low);
      if (!adopt_snapshots(partition, number, goal.position, held, idle)) return false;
      partition.commit();
    }
    std::size_t replayed = 0;
    const auto apply = [&](const KafkaMessage& message) {
      const auto begin = held.find(message.key);
      if (begin != held.end() && message.offset < begin->second) {
        partition.skip(message.offset);
      } else {
        apply_message(partition, message);
      }
      if (++replayed % kMessagesOfACommit == 0) partition.commit();
    };
    if (!reader_.read(options_.topics.events, number, partition.position(), goal.position, apply,
                      idle)) {
      return false;
    }
    // Marks of transactions may lie between the last event and the end.
    partition.skip(goal.position - 1);
    partition.finish_rebuild();
    log_line("info", "partition restored",
             {{"partition", number},
              {"position", goal.position},
              {"streams", partition.table().names().size()},
              {"from_cache", usable},
              {"snapshots", held.size()},
              {"replayed", replayed}});
    return true;
  }

  // Snapshots of the changelog, none of them beyond the position.
  bool adopt_snapshots(Partition& partition, std::int32_t number, std::int64_t position,
                       Positions& held, const std::function<bool()>& idle) {
    const std::string& changelog = options_.topics.changelog;
    const Offsets there = reader_.offsets(changelog, number);
    std::size_t bytes = 0;
    const auto adopt = [&](const KafkaMessage& message) {
      const ChangelogRecord record = record_from(message.key, message.value);
      check_instructions(record.instructions, fmt::format("the changelog of {}", message.key));
      if (record.position > position) {
        fail_about(ErrorKind::kMismatch, changelog,
                   "holds {} as of offset {} of partition {}, and the group has come to {}; "
                   "use the group that wrote this changelog, or another changelog",
                   message.key, record.position, number, position);
      }
      partition.adopt(record.snapshot);
      held[message.key] = record.position;
      bytes += message.value.size();
      if (bytes > kBytesOfACommit) {
        partition.commit();
        bytes = 0;
      }
    };
    return reader_.read(changelog, number, there.first, there.end, adopt, idle);
  }

  // Partitions of which a transaction has something to say: events; snapshots, because time is up; or
  // where a new group begins. All of them are known before the first event is applied: whatever fails in
  // between, the consumer goes back in each of them.
  std::set<std::int32_t> to_commit() {
    std::set<std::int32_t> touched;
    const auto now = Clock::now();
    for (auto& [number, slot] : slots_) {
      if (slot.state != Slot::State::kReady) continue;
      if (now - slot.saved > kSaveEvery) {
        slot.saved = now;
        slot.partition->save_all_so_far();
      }
      if (slot.unnoted || slot.partition->saving()) touched.insert(number);
    }
    for (const KafkaMessage& message : batch_) {
      if (slots_.at(message.partition).state == Slot::State::kReady) {
        touched.insert(message.partition);
      }
    }
    return touched;
  }

  void work_on_batch(const std::set<std::int32_t>& touched) {
    producer_.begin();
    try {
      for (const KafkaMessage& message : batch_) work_on(message);
      const PartitionsPtr offsets = finish(touched);
      producer_.commit(offsets.get(), consumer_.membership().get());
    } catch (const TransactionAborted&) {
      forget(touched);
      batch_.clear();
      return;
    }
    batch_.clear();
    for (const std::int32_t number : touched) {
      slots_.at(number).partition->commit();
      slots_.at(number).unnoted = false;
    }
  }

  void work_on(const KafkaMessage& message) {
    Slot& slot = slots_.at(message.partition);
    // It may come twice around a restore.
    if (slot.state != Slot::State::kReady || message.offset < slot.partition->position()) return;
    producer_.produce(options_.topics.answers, message.key, apply_message(*slot.partition, message),
                      fmt::format("{}:{}", message.partition, message.offset));
  }

  // Snapshots that are due into the changelog; the offsets to commit.
  PartitionsPtr finish(const std::set<std::int32_t>& touched) {
    PartitionsPtr offsets(rd_kafka_topic_partition_list_new(static_cast<int>(touched.size())));
    for (const std::int32_t number : touched) {
      Partition& partition = *slots_.at(number).partition;
      const std::string at = fmt::format("{}:{}", number, partition.position());
      for (const TakenSnapshot& snapshot : partition.take_snapshots()) {
        const ChangelogRecord record{instruction_set(), partition.position(), snapshot};
        producer_.produce(options_.topics.changelog, snapshot.name, record_bytes(record), at,
                          number);
      }
      rd_kafka_topic_partition_t* offset =
          rd_kafka_topic_partition_list_add(offsets.get(), options_.topics.events.c_str(), number);
      offset->offset = partition.position();
      const std::string note = note_text({instruction_set(), partition.low()});
      offset->metadata = rd_kafka_mem_malloc(nullptr, note.size());
      std::ranges::copy(note, static_cast<char*>(offset->metadata));
      offset->metadata_size = note.size();
    }
    return offsets;
  }

  // What was applied does not count. Another worker may have gone on from the committed offset meanwhile.
  void forget(const std::set<std::int32_t>& touched) {
    for (const std::int32_t number : touched) {
      Slot& slot = slots_.at(number);
      consumer_.pause(number);
      slot.partition->reopen();
      slot.committed = consumer_.committed(number);
      slot.seek = true;
      slot.state = Slot::State::kToRestore;
    }
  }

  const WorkerOptions& options_;
  const Stopping& stopping_;
  CacheFolder cache_;
  TransactionalProducer producer_;
  std::int32_t partitions_;
  std::string source_;
  TopicReader reader_;
  std::map<std::int32_t, Slot> slots_;
  std::vector<KafkaMessage> batch_;
  GroupConsumer consumer_;  // last: it calls what is above
};

}  // namespace

void run_worker(const WorkerOptions& options, const Stopping& stopping) {
  try {
    Worker(options, stopping).run();
  } catch (const Stopped&) {
    // Whatever was waited for, nothing of it had been promised.
  }
  log_line("info", "stopped");
}

}  // namespace pcgs::serve
