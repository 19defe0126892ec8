#include "run/saved_state.h"

#include <fmt/format.h>

#include <limits>

#include "pcgs/error.h"
#include "pcgs/state.h"

namespace pcgs::compare {

// ---- Points -------------------------------------------------------------------------------------

namespace {

// Notes are state files of their own, so that a strange one is refused and not misread.
std::uint64_t kind_of_run_note() { return architecture_hash("run note 1", 0); }

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
  const auto bytes = out.file(kind_of_run_note());
  aggregator.set_note(std::string(bytes.begin(), bytes.end()));
}

std::optional<RunNote> find_note(const Aggregator& aggregator, const std::string& origin) {
  const std::string& kept = aggregator.note();
  constexpr std::string_view kMagic = "PCGSSTAT";
  if (!kept.starts_with(kMagic)) return {};
  const std::vector<std::uint8_t> bytes(kept.begin(), kept.end());
  StateReader in(bytes, origin);
  if (in.architecture() != kind_of_run_note()) return {};
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

// ---- Quantiles ----------------------------------------------------------------------------------

namespace {

std::uint64_t kind_of_level_note() { return architecture_hash("quantile note 1", 0); }

}  // namespace

void leave_note(QuantilePanel& panel, const LevelNote& note) {
  StateWriter out;
  for (const auto* text : {&note.time, &note.known, &note.outcome, &note.last_text}) {
    out.text(*text);
  }
  out.u64(note.by.size());
  for (const auto& name : note.by) out.text(name);
  out.f64(note.last);
  out.u64(note.open.size());
  for (const auto& one : note.open) {
    out.u64(static_cast<std::uint64_t>(one.round));
    out.f64(one.time);
    out.f64(one.known);
  }
  const auto bytes = out.file(kind_of_level_note());
  panel.set_note(std::string(bytes.begin(), bytes.end()));
}

LevelNote find_note(const QuantilePanel& panel, const std::string& origin) {
  const std::vector<std::uint8_t> bytes(panel.note().begin(), panel.note().end());
  if (bytes.empty()) {
    throw Error(
        ErrorKind::kMismatch, {.file = origin},
        fmt::format("was not saved by a run on {}; give a state that was", option("quantiles")));
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  StateReader in(bytes, origin);
  if (in.architecture() != kind_of_level_note()) in.fail("its note is of another kind");
  LevelNote note;
  for (auto* text : {&note.time, &note.known, &note.outcome, &note.last_text}) *text = in.text();
  note.by.resize(in.count(sizeof(std::uint64_t)));
  for (auto& name : note.by) name = in.text();
  note.last = in.f64_within(-kMost, kMost, "its last time");
  note.open.resize(in.count(3 * sizeof(std::uint64_t)));
  const auto rounds = panel.open_rounds();
  if (note.open.size() != rounds.size()) in.fail("its note is about other rounds");
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    note.open[i].round = static_cast<std::int64_t>(in.u64());
    if (note.open[i].round != rounds[i]) in.fail("its note is about other rounds");
    note.open[i].time = in.f64_within(-kMost, kMost, "the time of a round");
    note.open[i].known = in.f64_within(-kMost, kMost, "the time of an outcome");
  }
  in.finish();
  return note;
}

// ---- Several series -----------------------------------------------------------------------------

namespace {

std::uint64_t kind_of_file() { return architecture_hash(kStatesOfSeries, 0); }

}  // namespace

SeriesStates SeriesStates::parse(std::span<const std::uint8_t> file, const std::string& origin) {
  StateReader in(file, origin);
  if (in.architecture() != kind_of_file()) {
    SeriesStates one;
    one.put({}, Bytes(file.begin(), file.end()));
    return one;
  }
  if (in.text() != kStatesOfSeries) in.fail("it is damaged");
  std::vector<std::string> by(in.count(sizeof(std::uint64_t)));
  if (by.empty()) in.fail("nothing tells its series apart");
  for (auto& name : by) name = in.text();
  SeriesStates out(std::move(by));
  const std::size_t series = in.count(sizeof(std::uint64_t));
  for (std::size_t i = 0; i < series; ++i) {
    Key key(out.by_.size());
    for (auto& value : key) value = in.text();
    Bytes state(in.count(1));
    in.bytes(state);
    if (!out.states_.emplace(std::move(key), std::move(state)).second) {
      in.fail("a series is in it twice");
    }
  }
  in.finish();
  return out;
}

const SeriesStates::Bytes* SeriesStates::find(const Key& key) const {
  const auto at = states_.find(key);
  return at == states_.end() ? nullptr : &at->second;
}

SeriesStates::Bytes SeriesStates::file() const {
  if (by_.empty()) return states_.begin()->second;
  StateWriter out;
  out.text(kStatesOfSeries);
  out.u64(by_.size());
  for (const auto& name : by_) out.text(name);
  out.u64(states_.size());
  for (const auto& [key, state] : states_) {
    for (const auto& value : key) out.text(value);
    out.u64(state.size());
    out.bytes(state);
  }
  return out.file(kind_of_file());
}

}  // namespace pcgs::compare
