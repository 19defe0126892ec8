// Messages of Kafka: those that come to a member of a group, those that are read again, and those that are
// written in a transaction.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "serve/kafka_client.h"

namespace pcgs::serve {

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

// Called while poll() is, and not otherwise.
struct Rebalances {
  // The partition is ours, from there on, and delivers nothing before start().
  std::function<void(std::int32_t partition, const Committed&)> assigned;
  // It is not ours any more; what came of it and is not committed must be forgotten.
  std::function<void(std::int32_t partition)> revoked;
};

// One member of the group that shares the partitions of the events.
class GroupConsumer {
 public:
  // `first_offset` is that of a partition of which the group has committed nothing yet.
  GroupConsumer(Settings settings, std::string topic, Rebalances rebalances,
                std::function<std::int64_t(std::int32_t partition)> first_offset,
                Stopping stopping);
  ~GroupConsumer();
  GroupConsumer(const GroupConsumer&) = delete;
  GroupConsumer& operator=(const GroupConsumer&) = delete;

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
  void assign(rd_kafka_topic_partition_list_t* partitions);
  void unassign(rd_kafka_topic_partition_list_t* partitions);
  std::string topic_;
  Rebalances rebalances_;
  std::function<std::int64_t(std::int32_t)> first_offset_;
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
  TransactionalProducer(Settings settings, const std::string& name, Stopping stopping);

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
