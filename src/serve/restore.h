// Brings the streams of a partition to the offset that their group has committed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "serve/changelog_record.h"
#include "serve/event_line.h"
#include "serve/kafka.h"
#include "serve/partition.h"
#include "serve/topic_reader.h"

namespace pcgs::worker {

// Where a group stands in a partition.
struct Committed {
  std::int64_t position = 0;       // of the next event
  std::optional<OffsetNote> note;  // none while nothing was ever committed
};

struct RestoreTopics {
  std::string events, changelog;
};

// What the live loop and a replay do with an event, so that they cannot differ. The output is of the
// event if there is one.
struct Done {
  serve::EventLine line;
  stream::Output output;
};
Done apply_message(Partition& partition, const KafkaMessage& message);

// False if `idle` said so before it was done; then the partition must be restored again before it is used.
// Throws Error if the changelog or the events do not lead to the offset.
bool restore(Partition& partition, std::int32_t number, const Committed& committed,
             const RestoreTopics& topics, const TopicReader& reader,
             const std::function<bool()>& idle);

}  // namespace pcgs::worker
