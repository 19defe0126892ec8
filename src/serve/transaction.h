// A producer whose messages and offsets count together or not at all.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "serve/kafka.h"

namespace pcgs::worker {

// Whether the transaction counts is what the committed offset says; mostly it does not. Somebody else may
// have the partitions now, or a broker was away for too long.
class TransactionAborted : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class TransactionalProducer {
 public:
  // `name` is that of the worker: a second producer of the same name ends what the first one began.
  TransactionalProducer(Settings settings, const std::string& name, Stopping stopping);

  // All of these throw Stopped, and Error where waiting does not help; all but begin() throw TransactionAborted, after which the next thing is
  // begin().
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

}  // namespace pcgs::worker
