#include "serve/transaction.h"

#include <fmt/format.h>

#include <array>

#include "pcgs/error.h"
#include "serve/log_line.h"

namespace pcgs::worker {

namespace {

constexpr const char* kEventHeader = "pcgs-event";
constexpr int kQueueMilliseconds = 100;

// librdkafka copies what it is given, and does not say const.
auto bytes(std::string_view text) {
  decltype(rd_kafka_vu_t{}.u.mem) out;
  out.ptr = const_cast<char*>(text.data());
  out.size = text.size();
  return out;
}

}  // namespace

TransactionalProducer::TransactionalProducer(Settings settings, const std::string& name,
                                             Stopping stopping)
    : settings_(std::move(settings)), stopping_(std::move(stopping)) {
  settings_.emplace_back("transactional.id", name);
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
  serve::log_line("warning", "transaction aborted", {{"why", why}});
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
    if (rd_kafka_error_is_fatal(wrong.get())) give_up(why, true);
    if (!rd_kafka_error_is_retriable(wrong.get())) give_up(why, false);
    // Whether it was done is not known; asking again finds out.
    if (stopping_()) throw Stopped();
    serve::log_line("warning", "waiting for Kafka", {{"what", what}, {"why", why}});
  }
}

void TransactionalProducer::begin() {
  while (true) {
    const ErrorPtr wrong(rd_kafka_begin_transaction(producer_.get()));
    if (!wrong) return;
    serve::log_line("warning", "transaction does not begin",
                    {{"why", rd_kafka_error_string(wrong.get())}});
    connect();
  }
}

void TransactionalProducer::produce(const std::string& topic, std::string_view key,
                                    std::string_view value, std::string_view event_header,
                                    std::int32_t partition) {
  std::array<rd_kafka_vu_t, 6> fields{};
  fields[0].vtype = RD_KAFKA_VTYPE_TOPIC;
  fields[0].u.cstr = topic.c_str();
  fields[1].vtype = RD_KAFKA_VTYPE_PARTITION;
  fields[1].u.i32 = partition;
  fields[2].vtype = RD_KAFKA_VTYPE_KEY;
  fields[2].u.mem = bytes(key);
  fields[3].vtype = RD_KAFKA_VTYPE_VALUE;
  fields[3].u.mem = bytes(value);
  fields[4].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  fields[4].u.i = RD_KAFKA_MSG_F_COPY;
  fields[5].vtype = RD_KAFKA_VTYPE_HEADER;
  fields[5].u.header.name = kEventHeader;
  fields[5].u.header.val = event_header.data();
  fields[5].u.header.size = static_cast<ssize_t>(event_header.size());
  while (true) {
    const ErrorPtr wrong(rd_kafka_produceva(producer_.get(), fields.data(), fields.size()));
    if (!wrong) return;
    const rd_kafka_resp_err_t code = rd_kafka_error_code(wrong.get());
    if (is_hopeless(code)) {
      throw Error(fmt::format("{}: does not take a message of {} bytes for partition {} ({})",
                              topic, value.size(), partition, rd_kafka_err2str(code)));
    }
    if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      give_up(fmt::format("a message to {}: {}", topic, rd_kafka_error_string(wrong.get())),
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

}  // namespace pcgs::worker
