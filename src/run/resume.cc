#include "run/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "pcgs/state.h"
#include "run/checks.h"
#include "run/rounds.h"

namespace pcgs::compare {

// ---- Notes --------------------------------------------------------------------------------------

namespace {

// Notes are state files of their own, so that a strange one is refused and not misread.
std::uint64_t kind_of_note() { return architecture_hash("run note 2", 0); }

constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

std::string text_of(const RunNote& note) {
  StateWriter out;
  for (const auto* text : {&note.method, &note.outcome, &note.scale, &note.time, &note.known}) {
    out.text(*text);
  }
  out.u64(note.clock ? 1 : 0);
  if (note.clock) {
    out.f64(note.clock->last);
    out.text(note.clock->last_text);
    out.f64(note.clock->step);
    out.u64(note.clock->keeps ? 1 : 0);
    out.u64(note.clock->calendar ? 1 : 0);
  }
  out.u64(note.by.size());
  for (const auto& name : note.by) out.text(name);
  out.u64(note.open.size());
  for (const auto& one : note.open) {
    out.u64(static_cast<std::uint64_t>(one.round));
    out.f64(one.time);
    out.f64(one.known);
  }
  const auto bytes = out.file(kind_of_note());
  return {bytes.begin(), bytes.end()};
}

std::optional<RunNote> note_of(const std::string& text, const std::string& origin) {
  if (!text.starts_with("PCGSSTAT")) return {};
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  StateReader in(bytes, origin);
  if (in.architecture() != kind_of_note()) return {};
  RunNote note;
  for (auto* one : {&note.method, &note.outcome, &note.scale, &note.time, &note.known}) {
    *one = in.text();
  }
  if (in.u64() != 0) {
    Clock& clock = note.clock.emplace();
    clock.last = in.f64_within(-kMost, kMost, "its last time");
    clock.last_text = in.text();
    clock.step = in.f64_within(0, kMost, "its step of time");
    clock.keeps = in.u64() != 0;
    clock.calendar = in.u64() != 0;
  }
  note.by.resize(in.count(sizeof(std::uint64_t)));
  for (auto& name : note.by) name = in.text();
  note.open.resize(in.count(3 * sizeof(std::uint64_t)));
  for (auto& one : note.open) {
    one.round = static_cast<std::int64_t>(in.u64());
    one.time = in.f64_within(-kMost, kMost, "the time of a round");
    one.known = in.f64_within(-kMost, kMost, "the time of an outcome");
  }
  in.finish();
  return note;
}

// ---- Files --------------------------------------------------------------------------------------

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

// ---- Resuming -----------------------------------------------------------------------------------

namespace {

void check_experts(const Aggregator& resumed, const Problem& problem, const std::string& state) {
  if (resumed.experts() != problem.experts.size()) {
    refuse_state(state, "", "was saved for {} experts, but {} has {}; give the same experts",
                 resumed.experts(), problem.origin, problem.experts.size());
  }
  for (std::size_t k = 0; k < resumed.names().size(); ++k) {
    if (resumed.names()[k] == problem.experts[k]) continue;
    refuse_state(state, "",
                 "was saved with {} as expert {}, but {} has {} there; give the same experts in "
                 "the same order ({})",
                 resumed.names()[k], k + 1, problem.origin, problem.experts[k], option("models"));
  }
}

std::vector<std::string> without(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (std::ranges::find(others, name) == others.end()) out.push_back(name);
  }
  return out;
}

// The columns of these experts, in this order; NaN for those that are not there.
Matrix columns_of(const Matrix& values, const std::vector<std::string>& have,
                  const std::vector<std::string>& want) {
  if (values.columns != have.size()) return values;  // there are none
  Matrix out(values.rows, want.size());
  for (std::size_t k = 0; k < want.size(); ++k) {
    const auto from = static_cast<std::size_t>(std::ranges::find(have, want[k]) - have.begin());
    for (std::size_t t = 0; t < values.rows; ++t) {
      out.row(t)[k] = from < have.size() ? values.row(t)[from] : std::nan("");
    }
  }
  return out;
}

void check_drops(const std::vector<std::string>& drop, const Problem& problem) {
  for (const std::string& name : drop) {
    if (std::ranges::find(problem.experts, name) == problem.experts.end()) continue;
    throw Error(
        ErrorKind::kMismatch, {.file = problem.origin, .field = "drop"},
        fmt::format("has {}, which {} names; leave it out of the table or with {}, or leave "
                    "{} out",
                    name, option("drop"), option("ignore"), option("drop")));
  }
}

void follow_experts(Resumed& on, Problem& problem, const Request& request, Experts experts) {
  const std::vector<std::string> before = on.aggregator.names();
  check_drops(request.drop, problem);
  if (experts == Experts::kSame || before.empty() || before == problem.experts) {
    return check_experts(on.aggregator, problem, request.state_name);
  }
  on.came = without(problem.experts, before);
  on.missing = without(before, problem.experts);
  for (const std::string& name : on.missing) {
    const bool dropped = std::ranges::find(request.drop, name) != request.drop.end();
    if (dropped || !problem.has_forecasts()) on.left.push_back(name);
  }
  on.missing = without(on.missing, on.left);
  if (on.came.size() == problem.experts.size()) {
    refuse_state(request.state_name, "",
                 "was saved for {}, and {} has none of them; give at least one of the same "
                 "experts, or begin with another state",
                 fmt::join(before, ", "), problem.origin);
  }
  std::vector<std::string> now = without(before, on.left);
  now.insert(now.end(), on.came.begin(), on.came.end());
  on.aggregator.set_experts(now, make_method);
  problem.values = columns_of(problem.values, problem.experts, now);
  problem.unclipped = columns_of(problem.unclipped, problem.experts, now);
  problem.experts = std::move(now);
}

// A state of forecasts that learned from losses, or the other way round, would be spoiled for good.
void check_kind(const Resumed& on, const Request& request) {
  const bool forecasts =
      on.before ? !on.before->outcome.empty()
                : on.aggregator.total_forecast_loss() > 0 ||
                      method_info(on.aggregator.method().name()).traits.needs_forecasts;
  const std::string& state = request.state_name;
  if (forecasts && request.outcome.empty()) {
    refuse_state(state, "outcome", "has learned from forecasts{}; name the outcome with {}",
                 on.before ? " of " + on.before->outcome : "", option("outcome"));
  }
  if (!on.before || on.before->outcome == request.outcome) return;
  if (!forecasts) {
    refuse_state(state, "outcome",
                 "has learned from losses, and {} makes these forecasts; leave it out, or begin "
                 "without {}",
                 option("outcome"), option("state"));
  }
  refuse_state(state, "outcome", "has learned to forecast {}, not {}; name the same column with {}",
               on.before->outcome, request.outcome, option("outcome"));
}

bool same_task(const TaskLoss& a, const TaskLoss& b) {
  return a.kind() == b.kind() && (a.kind() != TaskLoss::Kind::kPinball || a.tau() == b.tau());
}

void check_choices(const Aggregator& resumed, const std::optional<RunNote>& before,
                   const Request& request) {
  const std::string& state = request.state_name;
  const TaskLoss& task = resumed.task();
  if (request.loss && !same_task(*request.loss, task)) {
    const bool pinball = task.kind() == TaskLoss::Kind::kPinball;
    refuse_state(state, "loss", "was saved with {} loss{}; leave {} and {} out to resume it",
                 task.name(), pinball ? fmt::format(" at level {}", task.tau()) : "",
                 option("loss"), option("tau"));
  }
  if (request.intervals && !request.intervals->empty() &&
      (!resumed.interval_options() ||
       resumed.interval_options()->levels != interval_levels(request))) {
    refuse_state(state, "intervals", "was saved with other intervals; leave {} out to resume it",
                 option("intervals"));
  }
  // As it was called, with what is given now, it must be the method that was saved.
  const std::string& saved = resumed.method().name();
  const std::string called = before ? before->method : saved;
  const std::string& asked = request.methods.empty() ? called : request.methods.front();
  const auto differs = [&](const std::string& spec) {
    return make_method(spec, resumed.experts())->name() != saved;
  };
  const auto check = [&](bool other, const char* field, const char* what) {
    if (!other) return;
    refuse_state(state, field, "was saved by {}, with another {}; leave {} out to resume it", saved,
                 what, option(field));
  };
  check(before ? asked != called : differs(asked), "methods", "method");
  check(request.season && differs(with_seasons(asked, *request.season)), "season", "season");
  check(!request.model_file.empty() && with_model(saved, request.model_file) != saved, "model_file",
        "model");
  check(before && !request.scale.empty() && before->scale != request.scale, "scale",
        "scale of losses");
}

}  // namespace

std::size_t drop_learned(Problem& problem, const Clock& clock, const Request& request) {
  const std::string& state = request.state_name;
  if (!problem.times) {
    refuse_state(state, "time",
                 "has learned up to {}; name the column of times with {}, so that no round is "
                 "learned twice",
                 clock.last_text, option("time"));
  }
  if (problem.times->calendar != clock.calendar) {
    refuse_state(state, "time",
                 "has learned up to {}, and {} has times of another kind; give times in the same "
                 "form",
                 clock.last_text, problem.origin);
  }
  const auto& at = problem.times->at;
  const auto is_new = [&](double time) { return time > clock.last; };
  const auto learned = static_cast<std::size_t>(std::ranges::find_if(at, is_new) - at.begin());
  if (learned > 0 && !request.skip_learned) {
    throw Error(
        ErrorKind::kMismatch,
        {.file = problem.origin, .row = problem.file_row(0), .column = problem.times->text.name},
        fmt::format("{} is not after {}, up to which {} has learned; leave such rows out, "
                    "or let them be skipped with {}",
                    problem.times->text[0], clock.last_text, state, option_on("skip_learned")));
  }
  drop_first(problem, learned);
  return learned;
}

Resumed resume(std::span<const std::uint8_t> state, Problem& problem, const Request& request,
               Experts experts) {
  Resumed on{.aggregator = Aggregator::load_bytes(state, request.state_name, make_method),
             .before = std::nullopt};
  on.before = find_note(on.aggregator, request.state_name);
  check_kind(on, request);
  follow_experts(on, problem, request, experts);
  check_choices(on.aggregator, on.before, request);
  problem.task = on.aggregator.task();
  problem.scale = on.aggregator.scale();
  if (on.clock() != nullptr) on.skipped = drop_learned(problem, *on.clock(), request);
  return on;
}

RunNote resumed_note(const QuantilePanel& panel, const QuantileProblem& problem,
                     const std::string& origin) {
  const auto note = find_note(panel, origin);
  if (!note || !note->clock) {
    refuse_state(origin, "", "was not saved by a run on {}; give a state that was",
                 option("quantiles"));
  }
  if (!std::ranges::equal(note->open, panel.open_rounds(), {}, &RunNote::Open::round)) {
    refuse_state(origin, "", "its note is about other rounds");
  }
  const auto joined = [](const auto& all) { return fmt::format("{}", fmt::join(all, ",")); };
  for (const auto& [field, before, now] : {std::tuple{"time", note->time, problem.time},
                                           {"known", note->known, problem.known},
                                           {"outcome", note->outcome, problem.outcome},
                                           {"series", joined(note->by), joined(problem.by)}}) {
    if (before == now) continue;
    if (before.empty())
      refuse_state(origin, field, "was saved without {}; leave it out", option(field));
    refuse_state(origin, field, "was saved with {}; give the same", option(field, before));
  }
  if (panel.options().levels != problem.levels) {
    refuse_state(origin, "quantiles", "has the levels {}, and {} has {}; give the same columns",
                 fmt::join(panel.options().levels, ", "), problem.origin,
                 fmt::join(problem.levels, ", "));
  }
  return *note;
}

}  // namespace pcgs::compare
