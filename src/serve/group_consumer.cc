#include "serve/group_consumer.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "pcgs/error.h"
#include "serve/log_line.h"

namespace pcgs::worker {

namespace {

bool is_cooperative(rd_kafka_t* client) {
  return std::string_view(rd_kafka_rebalance_protocol(client)) == "COOPERATIVE";
}

std::span<rd_kafka_topic_partition_t> all_of(const rd_kafka_topic_partition_list_t* list) {
  return {list->elems, static_cast<std::size_t>(list->cnt)};
}

}  // namespace

GroupConsumer::GroupConsumer(Settings settings, std::string topic, Rebalances rebalances,
                             std::function<std::int64_t(std::int32_t)> first_offset,
                             Stopping stopping)
    : topic_(std::move(topic)),
      rebalances_(std::move(rebalances)),
      first_offset_(std::move(first_offset)),
      stopping_(std::move(stopping)) {
  // Offsets are committed by transactions alone. A partition that begins elsewhere than it was told has
  // lost events.
  settings.insert(settings.end(), {{"enable.auto.commit", "false"},
                                   {"enable.auto.offset.store", "false"},
                                   {"isolation.level", "read_committed"},
                                   {"auto.offset.reset", "error"}});
  ConfigurationPtr conf = configuration(settings);
  rd_kafka_conf_set_opaque(conf.get(), this);
  rd_kafka_conf_set_rebalance_cb(conf.get(), on_rebalance);
  consumer_ = client(RD_KAFKA_CONSUMER, std::move(conf));
  rd_kafka_poll_set_consumer(consumer_.get());
  const PartitionsPtr topics =
      one_partition(topic_, RD_KAFKA_PARTITION_UA, RD_KAFKA_OFFSET_INVALID);
  if (const auto wrong = rd_kafka_subscribe(consumer_.get(), topics.get())) {
    throw Error(fmt::format("{}: cannot be subscribed to ({})", topic_, rd_kafka_err2str(wrong)));
  }
}

GroupConsumer::~GroupConsumer() {
  rebalances_ = {};  // whoever listened is about to end, too
  rd_kafka_consumer_close(consumer_.get());
}

void GroupConsumer::on_rebalance(rd_kafka_t*, rd_kafka_resp_err_t what,
                                 rd_kafka_topic_partition_list_t* partitions, void* self) {
  GroupConsumer& consumer = *static_cast<GroupConsumer*>(self);
  try {
    if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
      consumer.assign(partitions);
    } else {
      consumer.unassign(partitions);
    }
  } catch (...) {
    consumer.failure_ = std::current_exception();
  }
}

void GroupConsumer::assign(rd_kafka_topic_partition_list_t* partitions) {
  std::vector<Committed> positions;
  if (rebalances_.assigned) {
    for (rd_kafka_topic_partition_t& one : all_of(partitions)) {
      positions.push_back(committed(one.partition));
      one.offset = positions.back().position;
    }
  }
  if (is_cooperative(consumer_.get())) {
    const ErrorPtr wrong(rd_kafka_incremental_assign(consumer_.get(), partitions));
    if (wrong) throw Error(rd_kafka_error_string(wrong.get()));
  } else if (const auto wrong = rd_kafka_assign(consumer_.get(), partitions)) {
    throw Error(rd_kafka_err2str(wrong));
  }
  rd_kafka_pause_partitions(consumer_.get(), partitions);
  if (!rebalances_.assigned) return;
  const auto list = all_of(partitions);
  for (std::size_t i = 0; i < list.size(); ++i) {
    rebalances_.assigned(list[i].partition, positions[i]);
  }
}

void GroupConsumer::unassign(rd_kafka_topic_partition_list_t* partitions) {
  if (rebalances_.revoked) {
    for (const rd_kafka_topic_partition_t& one : all_of(partitions)) {
      rebalances_.revoked(one.partition);
    }
  }
  if (is_cooperative(consumer_.get())) {
    const ErrorPtr wrong(rd_kafka_incremental_unassign(consumer_.get(), partitions));
    if (wrong) throw Error(rd_kafka_error_string(wrong.get()));
  } else {
    rd_kafka_assign(consumer_.get(), nullptr);
  }
}

std::optional<KafkaMessage> GroupConsumer::poll(int milliseconds) {
  const MessagePtr message(rd_kafka_consumer_poll(consumer_.get(), milliseconds));
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (!message) return {};
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) return copy_of(*message);
  const char* why = rd_kafka_message_errstr(message.get());
  if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
    throw Error(fmt::format(
        "{}: events are not there any more ({}); give the topic a longer retention", topic_, why));
  }
  if (message->err == RD_KAFKA_RESP_ERR__FATAL) throw Error(fmt::format("Kafka: {}", why));
  // Brokers that are away, mostly; librdkafka goes on looking for them.
  serve::log_line("warning", "consumer", {{"why", why}});
  return {};
}

Committed GroupConsumer::committed(std::int32_t partition) {
  const PartitionsPtr list = one_partition(topic_, partition, RD_KAFKA_OFFSET_INVALID);
  until_done("the committed offset", stopping_, [&] {
    const auto wrong = rd_kafka_committed(consumer_.get(), list.get(), kCallMilliseconds);
    return wrong != RD_KAFKA_RESP_ERR_NO_ERROR ? wrong : list->elems[0].err;
  });
  const rd_kafka_topic_partition_t& one = list->elems[0];
  if (one.offset < 0) return {first_offset_(partition), {}};
  const auto note = note_from(
      {static_cast<const char*>(one.metadata), one.metadata == nullptr ? 0 : one.metadata_size});
  if (!note) {
    throw Error(
        fmt::format("{}: the group's offset of partition {} was not written by a worker of pcgs; "
                    "give --group another name",
                    topic_, partition));
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

}  // namespace pcgs::worker
