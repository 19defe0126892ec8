#include <fmt/format.h>

#include <chrono>
#include <span>

#include "data/text.h"
#include "pcgs/error.h"
#include "serve/kafka_client.h"
#include "serve/service_json.h"

namespace pcgs::serve {

namespace {

constexpr std::string_view kNoteBegin = "pcgs 1 ";
constexpr int kPollMilliseconds = 100;

ClientPtr reader(const Settings& settings, const char* isolation) {
  // Nobody joins this group; without a name librdkafka lets no partition be read.
  ClientPtr out =
      client(RD_KAFKA_CONSUMER, configuration(with(settings, {{"group.id", "pcgs-reader"},
                                                              {"enable.auto.commit", "false"},
                                                              {"isolation.level", isolation},
                                                              {"enable.partition.eof", "true"},
                                                              {"auto.offset.reset", "error"}})));
  rd_kafka_poll_set_consumer(out.get());
  return out;
}

// Reads nothing any more when it goes out of scope.
struct Assignment {
  rd_kafka_t* client;
  ~Assignment() { rd_kafka_assign(client, nullptr); }
};

std::span<rd_kafka_topic_partition_t> all_of(const rd_kafka_topic_partition_list_t* list) {
  return {list->elems, static_cast<std::size_t>(list->cnt)};
}

constexpr const char* kEventHeader = "pcgs-event";
constexpr int kQueueMilliseconds = 100;

}  // namespace

std::string note_text(const OffsetNote& note) {
  return fmt::format("{}{} {}", kNoteBegin, note.low, note.instructions);
}

std::optional<OffsetNote> note_from(std::string_view text) {
  if (!text.starts_with(kNoteBegin)) return {};
  text.remove_prefix(kNoteBegin.size());
  const auto low = whole_number(cut_off(text, ' '));
  if (!low || text.empty()) return {};
  return OffsetNote{std::string(text), static_cast<std::int64_t>(*low)};
}

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
    fail_about(ErrorKind::kMissing, topic,
               "messages of partition {} from offset {} on are needed and not there any more; "
               "give the topic a longer retention",
               partition, begin);
  };
  const Offsets there = offsets(topic, partition);
  if (there.first > begin) gone();
  if (there.end < end) {
    fail_about(ErrorKind::kMismatch, topic,
               "partition {} ends at offset {}, and the group has come to {}; was the "
               "topic made anew? Then give {} and {} new names",
               partition, there.end, end, option("group"), option("changelog"));
  }
  const PartitionsPtr from = one_partition(topic, partition, begin);
  if (const auto wrong = rd_kafka_assign(committed_.get(), from.get())) {
    fail_about(ErrorKind::kFile, topic, "cannot be read ({})", rd_kafka_err2str(wrong));
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
      log_line("warning", "reader",
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

GroupConsumer::GroupConsumer(const Settings& settings, std::string topic, Rebalanced rebalanced,
                             const TopicReader& reader, Stopping stopping)
    : topic_(std::move(topic)),
      rebalanced_(std::move(rebalanced)),
      reader_(reader),
      stopping_(std::move(stopping)) {
  // Offsets are committed by transactions alone. A partition that begins elsewhere than it was told has
  // lost events.
  ConfigurationPtr conf = configuration(with(settings, {{"enable.auto.commit", "false"},
                                                        {"enable.auto.offset.store", "false"},
                                                        {"isolation.level", "read_committed"},
                                                        {"auto.offset.reset", "error"}}));
  rd_kafka_conf_set_opaque(conf.get(), this);
  rd_kafka_conf_set_rebalance_cb(conf.get(), on_rebalance);
  consumer_ = client(RD_KAFKA_CONSUMER, std::move(conf));
  rd_kafka_poll_set_consumer(consumer_.get());
  const PartitionsPtr topics =
      one_partition(topic_, RD_KAFKA_PARTITION_UA, RD_KAFKA_OFFSET_INVALID);
  if (const auto wrong = rd_kafka_subscribe(consumer_.get(), topics.get())) {
    fail_about(ErrorKind::kFile, topic_, "cannot be subscribed to ({})", rd_kafka_err2str(wrong));
  }
}

GroupConsumer::~GroupConsumer() {
  rebalanced_ = {};  // whoever listened is about to end, too
  rd_kafka_consumer_close(consumer_.get());
}

void GroupConsumer::on_rebalance(rd_kafka_t*, rd_kafka_resp_err_t what,
                                 rd_kafka_topic_partition_list_t* partitions, void* self) {
  GroupConsumer& consumer = *static_cast<GroupConsumer*>(self);
  try {
    consumer.rebalance(partitions, what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS);
  } catch (...) {
    consumer.failure_ = std::current_exception();
  }
}

void GroupConsumer::rebalance(rd_kafka_topic_partition_list_t* partitions, bool assigned) {
  rd_kafka_t* const consumer = consumer_.get();
  std::vector<Committed> positions;
  for (rd_kafka_topic_partition_t& one : all_of(partitions)) {
    if (!rebalanced_) break;
    if (assigned) {
      positions.push_back(committed(one.partition));
      one.offset = positions.back().position;
    } else {
      rebalanced_(one.partition, nullptr);
    }
  }
  if (std::string_view(rd_kafka_rebalance_protocol(consumer)) == "COOPERATIVE") {
    const ErrorPtr wrong(assigned ? rd_kafka_incremental_assign(consumer, partitions)
                                  : rd_kafka_incremental_unassign(consumer, partitions));
    if (wrong) throw Error(rd_kafka_error_string(wrong.get()));
  } else if (const auto wrong = rd_kafka_assign(consumer, assigned ? partitions : nullptr)) {
    throw Error(rd_kafka_err2str(wrong));
  }
  if (!assigned) return;
  rd_kafka_pause_partitions(consumer, partitions);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    rebalanced_(partitions->elems[i].partition, &positions[i]);
  }
}

std::optional<KafkaMessage> GroupConsumer::poll(int milliseconds) {
  const MessagePtr message(rd_kafka_consumer_poll(consumer_.get(), milliseconds));
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (!message) return {};
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return copy_of(*message);
  const char* why = rd_kafka_message_errstr(message.get());
  if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
    fail_about(ErrorKind::kMissing, topic_,
               "events are not there any more ({}); give the topic a longer retention", why);
  }
  if (message->err == RD_KAFKA_RESP_ERR__FATAL) {
    throw Error(ErrorKind::kFile, {}, fmt::format("Kafka: {}", why));
  }
  // Brokers that are away, mostly; librdkafka goes on looking for them.
  log_line("warning", "consumer", {{"why", why}});
  return {};
}

Committed GroupConsumer::committed(std::int32_t partition) {
  const PartitionsPtr list = one_partition(topic_, partition, RD_KAFKA_OFFSET_INVALID);
  until_done("the committed offset", stopping_, [&] {
    const auto wrong = rd_kafka_committed(consumer_.get(), list.get(), kCallMilliseconds);
    return wrong != RD_KAFKA_RESP_ERR_NO_ERROR ? wrong : list->elems[0].err;
  });
  const rd_kafka_topic_partition_t& one = list->elems[0];
  if (one.offset < 0) return {reader_.offsets(topic_, partition).first, {}};
  const auto note = note_from(
      {static_cast<const char*>(one.metadata), one.metadata == nullptr ? 0 : one.metadata_size});
  if (!note) {
    fail_about(ErrorKind::kMismatch, topic_,
               "the group's offset of partition {} was not written by a worker of "
               "pcgs; give {} another name",
               partition, option("group"));
  }
  return {one.offset, note};
}

void GroupConsumer::pause(std::int32_t partition) {
  const PartitionsPtr list = one_partition(topic_, partition, RD_KAFKA_OFFSET_INVALID);
  rd_kafka_pause_partitions(consumer_.get(), list.get());
}

void GroupConsumer::start(std::int32_t partition) {
  const PartitionsPtr list = one_partition(topic_, partition, RD_KAFKA_OFFSET_INVALID);
  rd_kafka_resume_partitions(consumer_.get(), list.get());
}

bool GroupConsumer::seek(std::int32_t partition, std::int64_t position) {
  const PartitionsPtr list = one_partition(topic_, partition, position);
  const ErrorPtr wrong(rd_kafka_seek_partitions(consumer_.get(), list.get(), kCallMilliseconds));
  return !wrong && list->elems[0].err == RD_KAFKA_RESP_ERR_NO_ERROR;
}

GroupMetadataPtr GroupConsumer::membership() const {
  return GroupMetadataPtr(rd_kafka_consumer_group_metadata(consumer_.get()));
}

TransactionalProducer::TransactionalProducer(const Settings& settings, const std::string& name,
                                             Stopping stopping)
    : settings_(with(settings, {{"transactional.id", name}})), stopping_(std::move(stopping)) {
  connect();
}

// Ends whatever a producer of this name has begun before.
void TransactionalProducer::connect() {
  producer_.reset();
  producer_ = client(RD_KAFKA_PRODUCER, configuration(settings_));
  while (true) {
    const ErrorPtr wrong(rd_kafka_init_transactions(producer_.get(), kCallMilliseconds));
    if (!wrong) return;
    wait_for("transactions", rd_kafka_error_code(wrong.get()), stopping_);
    if (rd_kafka_error_is_retriable(wrong.get())) continue;
    producer_.reset();
    producer_ = client(RD_KAFKA_PRODUCER, configuration(settings_));
  }
}

void TransactionalProducer::give_up(const std::string& why, bool fatal) {
  log_line("warning", "transaction aborted", {{"why", why}});
  while (!fatal) {
    const ErrorPtr wrong(rd_kafka_abort_transaction(producer_.get(), kCallMilliseconds));
    if (!wrong) throw TransactionAborted(why);
    if (stopping_()) throw Stopped();
    fatal = !rd_kafka_error_is_retriable(wrong.get());
  }
  // A producer that was away for too long has lost its epoch, and takes a new one.
  connect();
  throw TransactionAborted(why);
}

void TransactionalProducer::complete(const char* what,
                                     const std::function<rd_kafka_error_t*()>& call) {
  while (true) {
    const ErrorPtr wrong(call());
    if (!wrong) return;
    const std::string why = fmt::format("{}: {}", what, rd_kafka_error_string(wrong.get()));
    const bool fatal = rd_kafka_error_is_fatal(wrong.get());
    if (fatal || !rd_kafka_error_is_retriable(wrong.get())) give_up(why, fatal);
    // Whether it was done is not known; asking again finds out.
    if (stopping_()) throw Stopped();
    log_line("warning", "waiting for Kafka", {{"what", what}, {"why", why}});
  }
}

void TransactionalProducer::begin() {
  while (true) {
    const ErrorPtr wrong(rd_kafka_begin_transaction(producer_.get()));
    if (!wrong) return;
    log_line("warning", "transaction does not begin",
             {{"why", rd_kafka_error_string(wrong.get())}});
    connect();
  }
}

void TransactionalProducer::produce(const std::string& topic, std::string_view key,
                                    std::string_view value, std::string_view event_header,
                                    std::int32_t partition) {
  while (true) {
    const rd_kafka_resp_err_t code = rd_kafka_producev(
        producer_.get(), RD_KAFKA_VTYPE_TOPIC, topic.c_str(), RD_KAFKA_VTYPE_PARTITION, partition,
        RD_KAFKA_VTYPE_KEY, key.data(), key.size(), RD_KAFKA_VTYPE_VALUE, value.data(),
        value.size(), RD_KAFKA_VTYPE_MSGFLAGS, RD_KAFKA_MSG_F_COPY, RD_KAFKA_VTYPE_HEADER,
        kEventHeader, event_header.data(), event_header.size(), RD_KAFKA_VTYPE_END);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    if (is_hopeless(code)) {
      fail_about(ErrorKind::kLimit, topic,
                 "does not take a message of {} bytes for partition {} ({})", value.size(),
                 partition, rd_kafka_err2str(code));
    }
    if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      give_up(fmt::format("a message to {}: {}", topic, rd_kafka_err2str(code)),
              rd_kafka_fatal_error(producer_.get(), nullptr, 0) != RD_KAFKA_RESP_ERR_NO_ERROR);
    }
    if (stopping_()) throw Stopped();
    rd_kafka_poll(producer_.get(), kQueueMilliseconds);
  }
}

void TransactionalProducer::commit(const rd_kafka_topic_partition_list_t* offsets,
                                   const rd_kafka_consumer_group_metadata_t* group) {
  complete("offsets into the transaction", [&] {
    return rd_kafka_send_offsets_to_transaction(producer_.get(), offsets, group, kCallMilliseconds);
  });
  complete("commit",
           [&] { return rd_kafka_commit_transaction(producer_.get(), kCallMilliseconds); });
}

}  // namespace pcgs::serve
