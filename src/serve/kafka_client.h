// What the worker needs of librdkafka, with owners for its handles and exceptions for its errors: topics, and
// messages that come to a member of a group, that are read again, and that are written in a transaction.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pcgs::serve {

// Names and values as librdkafka's CONFIGURATION.md lists them. A later one replaces an earlier one.
using Settings = std::vector<std::pair<std::string, std::string>>;

// With more of them.
Settings with(Settings settings, const Settings& more);

// Whether the worker was asked to end. Called often, from one thread.
using Stopping = std::function<bool()>;
// Thrown out of whatever was waiting then. Nothing is lost: what was not committed will be done again.
struct Stopped {};

struct KafkaMessage {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::string key, value;
};

template <auto destroy>
struct Destroy {
  template <class Handle>
  void operator()(Handle* handle) const {
    destroy(handle);
  }
};
using ClientPtr = std::unique_ptr<rd_kafka_t, Destroy<rd_kafka_destroy>>;
using ConfigurationPtr = std::unique_ptr<rd_kafka_conf_t, Destroy<rd_kafka_conf_destroy>>;
using PartitionsPtr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      Destroy<rd_kafka_topic_partition_list_destroy>>;
using MessagePtr = std::unique_ptr<rd_kafka_message_t, Destroy<rd_kafka_message_destroy>>;
using ErrorPtr = std::unique_ptr<rd_kafka_error_t, Destroy<rd_kafka_error_destroy>>;
using GroupMetadataPtr = std::unique_ptr<rd_kafka_consumer_group_metadata_t,
                                         Destroy<rd_kafka_consumer_group_metadata_destroy>>;

// Throws Error, naming the setting.
ConfigurationPtr configuration(const Settings& settings);
// Throws Error.
ClientPtr client(rd_kafka_type_t kind, ConfigurationPtr configuration);

// One partition in a list; the offset may be RD_KAFKA_OFFSET_INVALID.
PartitionsPtr one_partition(const std::string& topic, std::int32_t partition, std::int64_t offset);

KafkaMessage copy_of(const rd_kafka_message_t& message);

// How long one call waits for brokers before it says so and tries again.
inline constexpr int kCallMilliseconds = 10000;

// Waiting does not help: passwords, rights, settings.
bool is_hopeless(rd_kafka_resp_err_t error);
// Waits a moment before the next try, saying in the log what for. Throws Stopped, and Error if it is
// hopeless.
void wait_for(const char* what, rd_kafka_resp_err_t error, const Stopping& stopping);
// Calls until it succeeds. Throws as wait_for().
void until_done(const char* what, const Stopping& stopping,
                const std::function<rd_kafka_resp_err_t()>& call);

// Settings from a file: lines NAME=VALUE; empty ones and those that begin with # do not count. Throws Error, naming file and
// line, also for settings on which exactly-once depends.
Settings read_settings(const std::string& file);

// The three topics of a worker.
struct TopicNames {
  std::string events, answers, changelog;
};

// Partitions of the events. Makes answers and changelog if they are not there, with as many partitions.
// Throws Error if there are no events, or if the changelog has another number of partitions or is not
// compacted.
std::int32_t check_topics(rd_kafka_t* client, const TopicNames& names, const Stopping& stopping);

// A name of the cluster, so that a cache is not used with another one.
std::string cluster_name(rd_kafka_t* client, const Stopping& stopping);

struct Offsets {
  std::int64_t first = 0;  // that is still there
  std::int64_t end = 0;    // one after the last, whether committed or not
};

// Reads a stretch of one partition, outside of any group: changelogs, and events that were done before.
class TopicReader {
 public:
  TopicReader(const Settings& settings, Stopping stopping);

  Offsets offsets(const std::string& topic, std::int32_t partition) const;

  // Every committed message in [begin, end), in order. Waits while a transaction is open before `end`:
  // what it wrote is not known to count until it is over. `idle` is called at least every second or so;
  // reading ends early, with false, when it says false. Throws Error if `begin` is not there any more.
  bool read(const std::string& topic, std::int32_t partition, std::int64_t begin, std::int64_t end,
            const std::function<void(KafkaMessage)>& take, const std::function<bool()>& idle) const;

 private:
  Stopping stopping_;
  ClientPtr committed_;    // sees what transactions have committed
  ClientPtr uncommitted_;  // sees where a partition ends, with open transactions
};

// Kafka keeps this text with the offset. Every event before `low` is in a snapshot of the changelog, so
// a state is those snapshots and the events from there to the offset.
struct OffsetNote {
  std::string instructions;
  std::int64_t low = 0;
};
std::string note_text(const OffsetNote& note);
// Nothing if it has another form.
std::optional<OffsetNote> note_from(std::string_view text);

// Where a group stands in a partition.
struct Committed {
  std::int64_t position = 0;       // of the next event
  std::optional<OffsetNote> note;  // not there while nothing was ever committed
};

// One member of the group that shares the partitions of the events.
class GroupConsumer {
 public:
  // Called while poll() is, and not otherwise. With where the group stands: the partition is ours, from there
  // on, and delivers nothing before start(). Without: it is not ours any more; what came of it and is not
  // committed must be forgotten.
  using Rebalanced = std::function<void(std::int32_t partition, const Committed*)>;

  // The reader says where a partition begins of which the group has committed nothing yet.
  GroupConsumer(const Settings& settings, std::string topic, Rebalanced rebalanced,
                const TopicReader& reader, Stopping stopping);
  ~GroupConsumer();

  // The next message, if one comes in time. Throws Error if the group can read no further.
  std::optional<KafkaMessage> poll(int milliseconds);

  // Where the group stands. Waits while that is being changed by a transaction.
  Committed committed(std::int32_t partition);
  void pause(std::int32_t partition);
  void start(std::int32_t partition);
  // Of a partition that is paused. False if that cannot be done at present.
  bool seek(std::int32_t partition, std::int64_t position);

  // Who this member is to the group, now: commits of a member that the group has given up are refused.
  GroupMetadataPtr membership() const;

 private:
  static void on_rebalance(rd_kafka_t* client, rd_kafka_resp_err_t what,
                           rd_kafka_topic_partition_list_t* partitions, void* self);
  void rebalance(rd_kafka_topic_partition_list_t* partitions, bool assigned);
  std::string topic_;
  Rebalanced rebalanced_;
  const TopicReader& reader_;
  Stopping stopping_;
  std::exception_ptr failure_;  // of a callback, which must not throw through C
  ClientPtr consumer_;
};

// Whether the transaction counts is what the committed offset says; mostly it does not. Somebody else may
// have the partitions now, or a broker was away for too long.
class TransactionAborted : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A producer whose messages and offsets count together or not at all.
class TransactionalProducer {
 public:
  // `name` is that of the worker: a second producer of the same name ends what the first one began.
  TransactionalProducer(const Settings& settings, const std::string& name, Stopping stopping);

  // All of these throw Stopped, and Error where waiting does not help; all but begin() throw
  // TransactionAborted, after which the next thing is begin().
  void begin();
  // To the partition that the key says, or to the one that is given.
  void produce(const std::string& topic, std::string_view key, std::string_view value,
               std::string_view event_header, std::int32_t partition = RD_KAFKA_PARTITION_UA);
  void commit(const rd_kafka_topic_partition_list_t* offsets,
              const rd_kafka_consumer_group_metadata_t* group);

  rd_kafka_t* handle() const { return producer_.get(); }

 private:
  void connect();
  void complete(const char* what, const std::function<rd_kafka_error_t*()>& call);
  [[noreturn]] void give_up(const std::string& why, bool fatal);
  Settings settings_;
  Stopping stopping_;
  ClientPtr producer_;
};

}  // namespace pcgs::serve
