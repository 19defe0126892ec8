#include "serve/topics.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "pcgs/error.h"
#include "serve/log_line.h"

namespace pcgs::worker {

namespace {

constexpr int kPolicyMilliseconds = 3000;
constexpr const char* kLargestRecord = "67108864";  // bytes of one snapshot

struct Destroy {
  void operator()(const rd_kafka_metadata_t* metadata) const {
    rd_kafka_metadata_destroy(metadata);
  }
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
  void operator()(rd_kafka_NewTopic_t* topic) const { rd_kafka_NewTopic_destroy(topic); }
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
  void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
  void operator()(rd_kafka_ConfigResource_t* config) const {
    rd_kafka_ConfigResource_destroy(config);
  }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

// 0 if there is no such topic.
std::int32_t partitions_of(rd_kafka_t* client, const std::string& name, const Stopping& stopping) {
  const Owned<rd_kafka_topic_t> topic(rd_kafka_topic_new(client, name.c_str(), nullptr));
  if (!topic) throw Error(fmt::format("'{}' is no name of a topic", name));
  std::int32_t count = 0;
  until_done("topics", stopping, [&] {
    const rd_kafka_metadata_t* found = nullptr;
    const auto wrong = rd_kafka_metadata(client, 0, topic.get(), &found, kCallMilliseconds);
    if (wrong != RD_KAFKA_RESP_ERR_NO_ERROR) return wrong;
    const Owned<const rd_kafka_metadata_t> metadata(found);
    const rd_kafka_metadata_topic_t& one = metadata->topics[0];
    if (one.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return RD_KAFKA_RESP_ERR_NO_ERROR;
    if (one.err == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION) {
      throw Error(fmt::format("'{}' is no name of a topic", name));
    }
    count = one.partition_cnt;
    return one.err;
  });
  return count;
}

void make_topic(rd_kafka_t* client, const std::string& name, std::int32_t partitions,
                bool compacted) {
  constexpr int kReplicasAsTheBrokerSays = -1;
  std::array<char, 512> why{};
  const Owned<rd_kafka_NewTopic_t> topic(rd_kafka_NewTopic_new(
      name.c_str(), partitions, kReplicasAsTheBrokerSays, why.data(), why.size()));
  if (!topic) throw Error(fmt::format("{}: cannot be made ({})", name, why.data()));
  if (compacted) {
    rd_kafka_NewTopic_set_config(topic.get(), "cleanup.policy", "compact");
    rd_kafka_NewTopic_set_config(topic.get(), "max.message.bytes", kLargestRecord);
  }
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client));
  std::array<rd_kafka_NewTopic_t*, 1> topics = {topic.get()};
  rd_kafka_CreateTopics(client, topics.data(), topics.size(), nullptr, queue.get());
  const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), 3 * kCallMilliseconds));
  const auto fail = [&](const char* reason) {
    throw Error(fmt::format("{}: cannot be made ({}); make it with {} partitions{}", name, reason,
                            partitions, compacted ? " and cleanup.policy=compact" : ""));
  };
  if (!event) fail("the brokers do not answer");
  if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    fail(rd_kafka_event_error_string(event.get()));
  }
  std::size_t count = 0;
  const rd_kafka_topic_result_t** results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  const auto made = rd_kafka_topic_result_error(results[0]);
  // Another worker, started at the same time, may have been faster.
  if (made != RD_KAFKA_RESP_ERR_NO_ERROR && made != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
    fail(rd_kafka_err2str(made));
  }
  serve::log_line("info", "topic made", {{"topic", name}, {"partitions", partitions}});
}

std::int32_t found_or_made(rd_kafka_t* client, const std::string& name, std::int32_t partitions,
                           bool compacted, const Stopping& stopping) {
  if (const auto there = partitions_of(client, name, stopping)) return there;
  make_topic(client, name, partitions, compacted);
  return partitions;
}

// The brokers' word for it; empty if they do not say soon.
std::string cleanup_policy(rd_kafka_t* client, const std::string& topic) {
  const Owned<rd_kafka_ConfigResource_t> asked(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  const Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client));
  std::array<rd_kafka_ConfigResource_t*, 1> resources = {asked.get()};
  rd_kafka_DescribeConfigs(client, resources.data(), resources.size(), nullptr, queue.get());
  const Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), kPolicyMilliseconds));
  if (!event || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return "";
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** found = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  if (count != 1) return "";
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(found[0], &count);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::string_view(rd_kafka_ConfigEntry_name(entries[i])) == "cleanup.policy") {
      return rd_kafka_ConfigEntry_value(entries[i]);
    }
  }
  return "";
}

}  // namespace

std::int32_t check_topics(rd_kafka_t* client, const TopicNames& names, const Stopping& stopping) {
  const std::int32_t partitions = partitions_of(client, names.events, stopping);
  if (partitions == 0) {
    throw Error(fmt::format(
        "{}: there is no such topic; make it with as many partitions as workers may ever share",
        names.events));
  }
  found_or_made(client, names.answers, partitions, false, stopping);
  const std::int32_t changelog = found_or_made(client, names.changelog, partitions, true, stopping);
  if (changelog != partitions) {
    throw Error(
        fmt::format("{} has {} partitions and {} has {}; a changelog needs as many as the events",
                    names.changelog, changelog, names.events, partitions));
  }
  const std::string policy = cleanup_policy(client, names.changelog);
  if (!policy.empty() && policy != "compact") {
    throw Error(
        fmt::format("{}: has cleanup.policy={}, which would delete states; give it compact alone",
                    names.changelog, policy));
  }
  return partitions;
}

std::string cluster_name(rd_kafka_t* client, const Stopping& stopping) {
  while (true) {
    if (char* id = rd_kafka_clusterid(client, kCallMilliseconds)) {
      std::string out = id;
      rd_kafka_mem_free(client, id);
      return out;
    }
    if (stopping()) throw Stopped();
    serve::log_line("warning", "waiting for Kafka", {{"what", "the name of the cluster"}});
  }
}

}  // namespace pcgs::worker
