#include "serve/topic_reader.h"

#include <fmt/format.h>

#include <chrono>

#include "pcgs/error.h"
#include "serve/log_line.h"

namespace pcgs::worker {

namespace {

constexpr int kPollMilliseconds = 100;

ClientPtr reader(const Settings& settings, const char* isolation) {
  Settings mine = settings;
  // Nobody joins this group; without a name librdkafka lets no partition be read.
  mine.insert(mine.end(), {{"group.id", "pcgs-reader"},
                           {"enable.auto.commit", "false"},
                           {"isolation.level", isolation},
                           {"enable.partition.eof", "true"},
                           {"auto.offset.reset", "error"}});
  ClientPtr out = client(RD_KAFKA_CONSUMER, configuration(mine));
  rd_kafka_poll_set_consumer(out.get());
  return out;
}

// Reads nothing any more when it goes out of scope.
struct Assignment {
  rd_kafka_t* client;
  ~Assignment() { rd_kafka_assign(client, nullptr); }
};

}  // namespace

TopicReader::TopicReader(const Settings& settings, Stopping stopping)
    : stopping_(std::move(stopping)),
      committed_(reader(settings, "read_committed")),
      uncommitted_(reader(settings, "read_uncommitted")) {}

Offsets TopicReader::offsets(const std::string& topic, std::int32_t partition) const {
  Offsets out;
  until_done("offsets of a partition", stopping_, [&] {
    return rd_kafka_query_watermark_offsets(uncommitted_.get(), topic.c_str(), partition,
                                            &out.first, &out.end, kCallMilliseconds);
  });
  return out;
}

bool TopicReader::read(const std::string& topic, std::int32_t partition, std::int64_t begin,
                       std::int64_t end, const std::function<void(KafkaMessage)>& take,
                       const std::function<bool()>& idle) const {
  if (begin >= end) return true;
  const auto gone = [&] {
    throw Error(fmt::format(
        "{}: messages of partition {} from offset {} on are needed and not there any more; give "
        "the topic a longer retention",
        topic, partition, begin));
  };
  const Offsets there = offsets(topic, partition);
  if (there.first > begin) gone();
  if (there.end < end) {
    throw Error(
        fmt::format("{}: partition {} ends at offset {}, and the group has come to {}; was the "
                    "topic made anew? "
                    "Then give --group and --changelog new names",
                    topic, partition, there.end, end));
  }
  const PartitionsPtr from = one_partition(topic, partition, begin);
  if (const auto wrong = rd_kafka_assign(committed_.get(), from.get())) {
    throw Error(fmt::format("{}: cannot be read ({})", topic, rd_kafka_err2str(wrong)));
  }
  const Assignment assigned{committed_.get()};
  auto asked = std::chrono::steady_clock::now();
  while (true) {
    const MessagePtr message(rd_kafka_consumer_poll(committed_.get(), kPollMilliseconds));
    if (message && message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (message->offset >= end) return true;
      take(copy_of(*message));
      if (message->offset + 1 == end) return true;
    } else if (message && message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      // The last offsets of a partition may be marks of transactions, which are no messages.
      if (message->offset >= end) return true;
    } else if (message && message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
      gone();
    } else if (message) {
      serve::log_line("warning", "reader",
                      {{"topic", topic}, {"why", rd_kafka_message_errstr(message.get())}});
    }
    // Other errors are about brokers that are away, which librdkafka goes on looking for.
    const auto now = std::chrono::steady_clock::now();
    if (now - asked < std::chrono::seconds(1)) continue;
    asked = now;
    if (stopping_()) throw Stopped();
    if (!idle()) return false;
  }
}

}  // namespace pcgs::worker
