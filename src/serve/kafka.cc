#include "serve/kafka.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <thread>

#include "pcgs/error.h"
#include "serve/log_line.h"

namespace pcgs::worker {

namespace {

void into_the_log(const rd_kafka_t*, int level, const char* facility, const char* text) {
  constexpr int kError = 3;  // as syslog counts
  serve::log_line(level <= kError ? "error" : "info", "kafka",
                  {{"facility", facility}, {"text", text}});
}

}  // namespace

ConfigurationPtr configuration(const Settings& settings) {
  ConfigurationPtr conf(rd_kafka_conf_new());
  std::array<char, 512> why{};
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), why.data(), why.size()) !=
        RD_KAFKA_CONF_OK) {
      throw Error(fmt::format("{}={} is no setting of librdkafka ({})", name, value, why.data()));
    }
  }
  rd_kafka_conf_set_log_cb(conf.get(), into_the_log);
  return conf;
}

ClientPtr client(rd_kafka_type_t kind, ConfigurationPtr configuration) {
  std::array<char, 512> why{};
  ClientPtr out(rd_kafka_new(kind, configuration.get(), why.data(), why.size()));
  if (!out) throw Error(fmt::format("librdkafka does not start ({})", why.data()));
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
  switch (error) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT:
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
      return true;
    default:
      return false;
  }
}

void wait_for(const char* what, rd_kafka_resp_err_t error, const Stopping& stopping) {
  if (is_hopeless(error)) {
    throw Error(fmt::format("Kafka refuses {}: {}", what, rd_kafka_err2str(error)));
  }
  if (stopping()) throw Stopped();
  serve::log_line("warning", "waiting for Kafka",
                  {{"what", what}, {"why", rd_kafka_err2str(error)}});
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

}  // namespace pcgs::worker
