#include "serve/changelog_record.h"

#include <fmt/format.h>

#include <charconv>

#include "serve/state_fields.h"

namespace pcgs::worker {

namespace {

constexpr std::string_view kNoteBegin = "pcgs 1 ";

std::uint64_t architecture() {
  static const std::uint64_t kHash = architecture_hash("record of a changelog", 1);
  return kHash;
}

}  // namespace

std::string record_bytes(const ChangelogRecord& record) {
  StateWriter out;
  out.text(record.instructions);
  out.u64(static_cast<std::uint64_t>(record.position));
  out.u64(record.snapshot.last_event);
  out.text(record.snapshot.bytes);
  return stream::file_text(out, architecture());
}

ChangelogRecord record_from(const std::string& stream, std::string_view bytes) {
  StateReader in(stream::bytes_of(bytes), fmt::format("changelog of {}", stream));
  if (in.architecture() != architecture()) in.fail("it is not a record of a changelog");
  ChangelogRecord out;
  out.instructions = in.text();
  out.position = static_cast<std::int64_t>(in.u64());
  out.snapshot.name = stream;
  out.snapshot.last_event = in.u64();
  out.snapshot.bytes = in.text();
  in.finish();
  return out;
}

std::string note_text(const OffsetNote& note) {
  return fmt::format("{}{} {}", kNoteBegin, note.low, note.instructions);
}

std::optional<OffsetNote> note_from(std::string_view text) {
  if (!text.starts_with(kNoteBegin)) return {};
  text.remove_prefix(kNoteBegin.size());
  OffsetNote note;
  const char* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, note.low);
  if (failed != std::errc() || note.low < 0 || rest == end || *rest != ' ') return {};
  note.instructions.assign(rest + 1, end);
  return note;
}

}  // namespace pcgs::worker
