// What a changelog holds, by the name of a stream: its latest snapshot. And what stands beside the
// committed offset of a partition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "serve/stream_table.h"

namespace pcgs::worker {

struct ChangelogRecord {
  std::string instructions;   // the instruction set that it was computed with
  std::int64_t position = 0;  // of the events' partition; every event before it is in the snapshot
  stream::TakenSnapshot snapshot;
};

// As a state file (state.h), so that what is damaged is refused. Holds no name: that is the key.
std::string record_bytes(const ChangelogRecord& record);
// Throws Error, naming the stream.
ChangelogRecord record_from(const std::string& stream, std::string_view bytes);

// Kafka keeps this text with the offset. Every event before `low` is in a snapshot of the changelog, so
// a state is those snapshots and the events from there to the offset.
struct OffsetNote {
  std::string instructions;
  std::int64_t low = 0;
};
std::string note_text(const OffsetNote& note);
// None if it is of no form that is known.
std::optional<OffsetNote> note_from(std::string_view text);

}  // namespace pcgs::worker
