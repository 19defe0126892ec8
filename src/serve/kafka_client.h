// What the worker needs of librdkafka, with owners for its handles and exceptions for its errors.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pcgs::serve {

// Names and values as librdkafka's CONFIGURATION.md lists them. A later one replaces an earlier one.
using Settings = std::vector<std::pair<std::string, std::string>>;

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

}  // namespace pcgs::serve
