#include "run/level_note.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "pcgs/error.h"
#include "pcgs/state.h"

namespace pcgs::compare {

namespace {

std::uint64_t kind_of_note() { return architecture_hash("quantile note 1", 0); }

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
  const auto bytes = out.file(kind_of_note());
  panel.set_note(std::string(bytes.begin(), bytes.end()));
}

LevelNote find_note(const QuantilePanel& panel, const std::string& origin) {
  const std::vector<std::uint8_t> bytes(panel.note().begin(), panel.note().end());
  if (bytes.empty()) {
    throw Error(
        fmt::format("{}: was not saved by pcgs run --quantiles; give a state that was", origin));
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  StateReader in(bytes, origin);
  if (in.architecture() != kind_of_note()) in.fail("its note is of another kind");
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

void check_goes_on(const LevelProblem& problem, const QuantilePanel& panel, const LevelNote& note,
                   const std::string& origin) {
  const auto compare = [&](const std::string& before, const std::string& now, const char* option) {
    if (before == now) return;
    throw Error(fmt::format("{}: was saved with {} {}; give the same", origin, option,
                            before.empty() ? "left out" : before));
  };
  compare(note.time, problem.time, "--time");
  compare(note.known, problem.known, "--known");
  compare(note.outcome, problem.outcome, "--y");
  compare(fmt::format("{}", fmt::join(note.by, ",")), fmt::format("{}", fmt::join(problem.by, ",")),
          "--by");
  if (panel.options().levels != problem.levels) {
    throw Error(fmt::format("{}: has the levels {}, and {} has {}; give the same columns", origin,
                            fmt::join(panel.options().levels, ", "), problem.origin,
                            fmt::join(problem.levels, ", ")));
  }
}

}  // namespace pcgs::compare
