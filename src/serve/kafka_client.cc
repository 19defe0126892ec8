#include "serve/kafka_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <memory>
#include <string_view>
#include <thread>

#include "data/text.h"
#include "pcgs/error.h"
#include "serve/service_json.h"

namespace pcgs::serve {

namespace {

void into_the_log(const rd_kafka_t*, int level, const char* facility, const char* text) {
  constexpr int kError = 3;  // as syslog counts
  log_line(level <= kError ? "error" : "info", "kafka", {{"facility", facility}, {"text", text}});
}

constexpr std::string_view kBlanks = " \t\r";

// The worker sets these itself.
constexpr std::array<std::string_view, 9> kTaken = {
    "auto.offset.reset",        "bootstrap.servers",    "enable.auto.commit",
    "enable.auto.offset.store", "enable.partition.eof", "group.id",
    "isolation.level",          "metadata.broker.list", "transactional.id"};

constexpr int kPolicyMilliseconds = 3000;
constexpr const char* kLargestRecord = "67108864";  // bytes of one snapshot

using MetadataPtr = std::unique_ptr<const rd_kafka_metadata_t, Destroy<rd_kafka_metadata_destroy>>;
using TopicPtr = std::unique_ptr<rd_kafka_topic_t, Destroy<rd_kafka_topic_destroy>>;
using NewTopicPtr = std::unique_ptr<rd_kafka_NewTopic_t, Destroy<rd_kafka_NewTopic_destroy>>;
using QueuePtr = std::unique_ptr<rd_kafka_queue_t, Destroy<rd_kafka_queue_destroy>>;
using EventPtr = std::unique_ptr<rd_kafka_event_t, Destroy<rd_kafka_event_destroy>>;
using ConfigResourcePtr =
    std::unique_ptr<rd_kafka_ConfigResource_t, Destroy<rd_kafka_ConfigResource_destroy>>;

[[noreturn]] void fail_name(const std::string& name) {
  throw Error(ErrorKind::kValue, {}, fmt::format("'{}' is not a name of a topic", name));
}

// 0 if there is no such topic.
std::int32_t partitions_of(rd_kafka_t* client, const std::string& name, const Stopping& stopping) {
  const TopicPtr topic(rd_kafka_topic_new(client, name.c_str(), nullptr));
  if (!topic) fail_name(name);
  std::int32_t count = 0;
  until_done("topics", stopping, [&] {
    const rd_kafka_metadata_t* found = nullptr;
    const auto wrong = rd_kafka_metadata(client, 0, topic.get(), &found, kCallMilliseconds);
    if (wrong != RD_KAFKA_RESP_ERR_NO_ERROR) return wrong;
    const MetadataPtr metadata(found);
    const rd_kafka_metadata_topic_t& one = metadata->topics[0];
    if (one.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return RD_KAFKA_RESP_ERR_NO_ERROR;
    if (one.err == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION) {
      fail_name(name);
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
  const NewTopicPtr topic(rd_kafka_NewTopic_new(name.c_str(), partitions, kReplicasAsTheBrokerSays,
                                                why.data(), why.size()));
  if (!topic) {
    fail_about(ErrorKind::kFile, name, "cannot be made ({})", why.data());
  }
  if (compacted) {
    rd_kafka_NewTopic_set_config(topic.get(), "cleanup.policy", "compact");
    rd_kafka_NewTopic_set_config(topic.get(), "max.message.bytes", kLargestRecord);
  }
  const QueuePtr queue(rd_kafka_queue_new(client));
  std::array<rd_kafka_NewTopic_t*, 1> topics = {topic.get()};
  rd_kafka_CreateTopics(client, topics.data(), topics.size(), nullptr, queue.get());
  const EventPtr event(rd_kafka_queue_poll(queue.get(), 3 * kCallMilliseconds));
  const auto fail = [&](const char* reason) {
    fail_about(ErrorKind::kFile, name, "cannot be made ({}); make it with {} partitions{}", reason,
               partitions, compacted ? " and cleanup.policy=compact" : "");
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
  log_line("info", "topic made", {{"topic", name}, {"partitions", partitions}});
}

// The brokers' word for it; empty if they do not say soon.
std::string cleanup_policy(rd_kafka_t* client, const std::string& topic) {
  const ConfigResourcePtr asked(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  const QueuePtr queue(rd_kafka_queue_new(client));
  std::array<rd_kafka_ConfigResource_t*, 1> resources = {asked.get()};
  rd_kafka_DescribeConfigs(client, resources.data(), resources.size(), nullptr, queue.get());
  const EventPtr event(rd_kafka_queue_poll(queue.get(), kPolicyMilliseconds));
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

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

ConfigurationPtr configuration(const Settings& settings) {
  ConfigurationPtr conf(rd_kafka_conf_new());
  std::array<char, 512> why{};
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), why.data(), why.size()) !=
        RD_KAFKA_CONF_OK) {
      throw Error(
          ErrorKind::kUnknown, {.field = name},
          fmt::format("{}={} is not a setting of librdkafka ({})", name, value, why.data()));
    }
  }
  rd_kafka_conf_set_log_cb(conf.get(), into_the_log);
  return conf;
}

ClientPtr client(rd_kafka_type_t kind, ConfigurationPtr configuration) {
  std::array<char, 512> why{};
  ClientPtr out(rd_kafka_new(kind, configuration.get(), why.data(), why.size()));
  if (!out) {
    throw Error(ErrorKind::kRequest, {}, fmt::format("librdkafka does not start ({})", why.data()));
  }
  static_cast<void>(configuration.release());  // the client owns it now
  return out;
}

PartitionsPtr one_partition(const std::string& topic, std::int32_t partition, std::int64_t offset) {
  PartitionsPtr list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  return list;
}

KafkaMessage copy_of(const rd_kafka_message_t& message) {
  const auto text = [](const void* bytes, std::size_t size) {
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  };
  return {message.partition, message.offset, text(message.key, message.key_len),
          text(message.payload, message.len)};
}

bool is_hopeless(rd_kafka_resp_err_t error) {
  constexpr std::array kHopeless = {RD_KAFKA_RESP_ERR__AUTHENTICATION,
                                    RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
                                    RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
                                    RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
                                    RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
                                    RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                                    RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT,
                                    RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                                    RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
                                    RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC};
  return std::ranges::find(kHopeless, error) != kHopeless.end();
}

void wait_for(const char* what, rd_kafka_resp_err_t error, const Stopping& stopping) {
  if (is_hopeless(error)) {
    throw Error(ErrorKind::kRequest, {},
                fmt::format("Kafka refuses {}: {}", what, rd_kafka_err2str(error)));
  }
  if (stopping()) throw Stopped();
  log_line("warning", "waiting for Kafka", {{"what", what}, {"why", rd_kafka_err2str(error)}});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

void until_done(const char* what, const Stopping& stopping,
                const std::function<rd_kafka_resp_err_t()>& call) {
  while (true) {
    const rd_kafka_resp_err_t wrong = call();
    if (wrong == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    wait_for(what, wrong, stopping);
  }
}

Settings read_settings(const std::string& file) {
  std::ifstream in(file);
  if (!in) fail_about(ErrorKind::kFile, file, "cannot be read");
  Settings out;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const std::string_view text = trimmed(line, kBlanks);
    if (text.empty() || text.starts_with('#')) continue;
    const auto fail = [&](ErrorKind kind, std::string_view why) {
      throw Error(kind, {.file = file, .line = number}, why);
    };
    const auto equals = text.find('=');
    const std::string name(trimmed(text.substr(0, std::min(equals, text.size())), kBlanks));
    if (equals == std::string_view::npos || name.empty()) {
      fail(ErrorKind::kFormat, "is not NAME=VALUE");
    }
    if (std::ranges::find(kTaken, name) != kTaken.end()) {
      fail(ErrorKind::kRequest, fmt::format("the worker sets {} itself; leave it out", name));
    }
    out.emplace_back(name, trimmed(text.substr(equals + 1), kBlanks));
    try {
      configuration({out.back()});  // known at all
    } catch (const Error& wrong) {
      fail(wrong.kind(), wrong.what());
    }
  }
  return out;
}

std::int32_t check_topics(rd_kafka_t* client, const TopicNames& names, const Stopping& stopping) {
  const std::int32_t partitions = partitions_of(client, names.events, stopping);
  if (partitions == 0) {
    fail_about(ErrorKind::kMissing, names.events,
               "there is no such topic; make it with as many partitions as workers may ever share");
  }
  const auto found_or_made = [&](const std::string& name, bool compacted) {
    if (const auto there = partitions_of(client, name, stopping)) return there;
    make_topic(client, name, partitions, compacted);
    return partitions;
  };
  found_or_made(names.answers, false);
  const std::int32_t changelog = found_or_made(names.changelog, true);
  if (changelog != partitions) {
    fail_about(ErrorKind::kMismatch, names.changelog,
               "has {} partitions, and {} has {}; a changelog needs as many as the events",
               changelog, names.events, partitions);
  }
  const std::string policy = cleanup_policy(client, names.changelog);
  if (!policy.empty() && policy != "compact") {
    fail_about(ErrorKind::kMismatch, names.changelog,
               "has cleanup.policy={}, which would delete states; give it compact alone", policy);
  }
  return partitions;
}

std::string cluster_name(rd_kafka_t* client, const Stopping& stopping) {
  std::string out;
  until_done("the name of the cluster", stopping, [&] {
    char* const id = rd_kafka_clusterid(client, kCallMilliseconds);
    if (id == nullptr) return RD_KAFKA_RESP_ERR__TIMED_OUT;
    out = id;
    rd_kafka_mem_free(client, id);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  });
  return out;
}

}  // namespace pcgs::serve
