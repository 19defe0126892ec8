// One member of the group that shares the partitions of the events.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "serve/kafka.h"
#include "serve/restore.h"

namespace pcgs::worker {

// Called while poll() is, and not otherwise.
struct Rebalances {
  // The partition is ours, from there on, and delivers nothing before start().
  std::function<void(std::int32_t partition, const Committed&)> assigned;
  // It is not ours any more; what came of it and is not committed must be forgotten.
  std::function<void(std::int32_t partition)> revoked;
};

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

}  // namespace pcgs::worker
