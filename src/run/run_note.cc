#include "run/run_note.h"

#include <limits>
#include <vector>

#include "pcgs/state.h"

namespace pcgs::compare {

namespace {

// Notes are state files of their own, so that a strange one is refused and not misread.
std::uint64_t kind_of_note() { return architecture_hash("run note 1", 0); }

}  // namespace

void leave_note(Aggregator& aggregator, const RunNote& note) {
  StateWriter out;
  out.text(note.method);
  out.text(note.outcome);
  out.text(note.scale);
  out.u64(note.clock ? 1 : 0);
  if (note.clock) {
    out.f64(note.clock->last);
    out.text(note.clock->last_text);
    out.f64(note.clock->step);
    out.u64(note.clock->keeps ? 1 : 0);
    out.u64(note.clock->calendar ? 1 : 0);
  }
  const auto bytes = out.file(kind_of_note());
  aggregator.set_note(std::string(bytes.begin(), bytes.end()));
}

std::optional<RunNote> find_note(const Aggregator& aggregator, const std::string& origin) {
  const std::string& kept = aggregator.note();
  constexpr std::string_view kMagic = "PCGSSTAT";
  if (!kept.starts_with(kMagic)) return {};
  const std::vector<std::uint8_t> bytes(kept.begin(), kept.end());
  StateReader in(bytes, origin);
  if (in.architecture() != kind_of_note()) return {};
  constexpr double kMost = std::numeric_limits<double>::max();
  RunNote note;
  note.method = in.text();
  note.outcome = in.text();
  note.scale = in.text();
  if (in.u64() != 0) {
    Clock& clock = note.clock.emplace();
    clock.last = in.f64_within(-kMost, kMost, "its last time");
    clock.last_text = in.text();
    clock.step = in.f64_within(0, kMost, "its step of time");
    clock.keeps = in.u64() != 0;
    clock.calendar = in.u64() != 0;
  }
  in.finish();
  return note;
}

}  // namespace pcgs::compare
