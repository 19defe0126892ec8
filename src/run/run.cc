// One run, whatever its door: checked, put in time, resumed, played, judged, saved.
#include "pcgs/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <span>

#include "combine/hindsight_methods.h"
#include "data/parallel.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "run/check_request.h"
#include "run/comparison.h"
#include "run/errors.h"
#include "run/method_list.h"
#include "run/quantiles.h"
#include "run/resume.h"
#include "run/rounds.h"

namespace pcgs {

using namespace compare;  // NOLINT: what a run is made of

namespace {

// ---- Notes and progress -------------------------------------------------------------------------

// Told at once, and kept for the outcome; by several threads.
class Notes {
 public:
  explicit Notes(const TellNote& tell) : tell_(tell) {}

  void add(NoteKind kind, std::string sentence) { add({kind, std::move(sentence)}); }
  void add(const Note& note) {
    const std::lock_guard lock(one_at_a_time_);
    kept_.push_back(note);
    if (tell_) tell_(note);
  }
  TellNote teller() {
    return [this](const Note& note) { add(note); };
  }
  std::vector<Note> take() { return std::move(kept_); }

 private:
  const TellNote& tell_;
  std::mutex one_at_a_time_;
  std::vector<Note> kept_;
};

// Tells how far a run is; by several threads. Empty if nobody is to be told.
std::function<void(std::size_t)> teller_of(const Request& request, std::size_t all,
                                           std::mutex& one_at_a_time, std::size_t& played) {
  if (!request.progress) return {};
  return [&request, all, &one_at_a_time, &played](std::size_t rounds) {
    const std::lock_guard lock(one_at_a_time);
    played += rounds;
    request.progress(std::min(played, all), all);
  };
}

// ---- What holds for all series ------------------------------------------------------------------

struct Plan {
  TaskLoss task;
  std::string scale;  // as the user wrote it
  std::string spec;   // of the method that is saved or resumed
  ComparisonOptions compared;
  ResumeRules rules;
};

std::vector<double> interval_levels(const Request& request) {
  auto levels = request.intervals.value_or(std::vector{0.8, 0.95});
  std::ranges::sort(levels);
  return levels;
}

ResumeRules rules_of(const Request& request) {
  ResumeRules rules;
  rules.state = request.state_name;
  rules.outcome = request.outcome;
  rules.task = request.loss;
  rules.scale = request.scale;
  rules.model = request.model_file;
  rules.skip_learned = request.skip_learned;
  rules.experts_may_change = true;
  rules.drop = request.drop;
  if (request.intervals) rules.levels = interval_levels(request);
  if (!request.methods.empty()) {
    const auto names = names_from({request.methods, "", !request.outcome.empty()});
    if (names.size() != 1) {
      throw Error(ErrorKind::kRequest, {.file = rules.state, .field = "methods"},
                  fmt::format("a run resumes one method; leave {} out", option("methods")));
    }
    rules.method = names.front();
  }
  rules.seasons = request.season;
  return rules;
}

SeriesStates states_of(const Request& request) {
  if (request.state.empty()) return SeriesStates(request.series);
  auto states = SeriesStates::parse(request.state, request.state_name);
  if (states.by() != request.series) {
    throw Error(
        ErrorKind::kMismatch, {.file = request.state_name, .field = "series"},
        states.by().empty()
            ? fmt::format("holds the state of one series; leave {} out", option("series"))
            : fmt::format("holds {} series by {}; give {}", states.size(),
                          fmt::join(states.by(), ", "),
                          option("series", fmt::format("{}", fmt::join(states.by(), ",")))));
  }
  return states;
}

// A run that resumes does so with the method and the loss of the one before, for new series too.
Plan plan_of(const SeriesStates& states, const Request& request) {
  Plan plan;
  ComparisonOptions& compared = plan.compared;
  compared.switches = request.switches;
  if (compared.switches.empty() && (request.outcome.empty() || request.switch_cost)) {
    compared.switches.assign(kUsualSwitches.begin(), kUsualSwitches.end());
  }
  compared.switch_cost = request.switch_cost;
  compared.certify_forecasts = request.certify_forecasts;
  compared.observers = request.observers;
  compared.stretches = request.stretches;
  compared.keep_weights = request.keep_weights;
  plan.scale = request.scale;
  if (states.size() == 0) {
    plan.task = request.loss.value_or(TaskLoss());
    return plan;
  }
  plan.rules = rules_of(request);
  const auto resumed =
      Aggregator::load_bytes(states.all().begin()->second, request.state_name, make_method);
  const auto note = find_note(resumed, request.state_name);
  plan.task = resumed.task();
  if (note) plan.scale = note->scale;
  plan.spec = resumed.method().name();
  compared.methods = {note ? note->method : plan.spec};
  compared.intervals = resumed.interval_options();
  return plan;
}

// Those that were given; else those that the times suggest, which is told.
std::vector<std::size_t> seasons_of(const Request& request, const Problem& problem, Notes& notes) {
  if (!problem.has_forecasts()) return {};
  if (request.season) return *request.season;
  auto seasons = usual_seasons(problem);
  if (!seasons.empty()) notes.add(suggested_seasons(problem, seasons));
  return seasons;
}

void note_unused_side(const std::vector<std::string>& methods, const Problem& problem,
                      Notes& notes) {
  if (problem.side.columns == 0) return;
  const bool used = std::ranges::any_of(methods, [&](const std::string& name) {
    return is_playable(name) && make_method(name, problem.experts.size())->side_needed() > 0;
  });
  if (used) return;
  notes.add(NoteKind::kUnused, fmt::format("{}: {} makes no use of side information",
                                           problem.origin, fmt::join(methods, ", ")));
}

// The methods of a run that begins. The last one is published.
void choose_methods(Plan& plan, const Request& request, const Problem& problem, Notes& notes) {
  ComparisonOptions& compared = plan.compared;
  const auto seasons = seasons_of(request, problem, notes);
  const MethodRequest wanted{request.methods, request.model_file, problem.has_forecasts(), seasons};
  compared.methods = methods_from(wanted);
  compared.called = names_from(wanted);
  check_methods(compared.methods,
                {problem.experts.size(), problem.side.columns, problem.has_forecasts()});
  note_unused_side(compared.methods, problem, notes);
  const bool playable = is_playable(compared.methods.back());
  const auto levels = interval_levels(request);
  const bool log = problem.task.kind() == TaskLoss::Kind::kLog;
  if (log && request.intervals && !request.intervals->empty()) {
    throw Error(
        ErrorKind::kRequest, {.field = "intervals"},
        fmt::format("outcomes of log loss are 0 and 1, and no interval around a probability "
                    "holds them; leave {} out",
                    option("intervals")));
  }
  if (playable && problem.has_forecasts() && !log && !levels.empty()) {
    compared.intervals = IntervalOptions{levels, seasons.empty() ? 0 : seasons.front()};
  }
  if (!request.save) return;
  if (!playable) {
    throw Error(ErrorKind::kRequest, {.field = "save"},
                fmt::format("the last method is saved, and {} is known in hindsight only; give "
                            "another one with {}",
                            compared.methods.back(), option("methods")));
  }
  plan.spec = compared.methods.back();
}

// ---- Series -------------------------------------------------------------------------------------

// One on its way through a run.
struct SeriesRun {
  SeriesOutcome outcome;
  std::optional<Aggregator> aggregator{};  // of a run that is resumed or saved
  std::optional<Clock> before{};           // of the run that it resumes from
  SeriesStates::Bytes state{};             // after the run, if it is saved
};

void note_coming(const Problem& problem, const Request& request, Notes& notes) {
  const std::size_t coming = problem.rounds() - problem.known();
  if (coming <= request.block || !problem.known_at.empty()) return;
  notes.add(NoteKind::kComing,
            fmt::format("{}: {} rows are to come, and errors and intervals are those of {} ahead; "
                        "if all are forecast at once, give {}",
                        problem.origin, coming,
                        request.block == 1 ? "one round" : fmt::format("{} rounds", request.block),
                        option("block", fmt::format("{}", coming))));
}

// Brings a series to where it can be played.
SeriesRun prepare(Series series, const SeriesStates& states, const Plan& plan,
                  const Request& request, Notes& notes) {
  SeriesRun run;
  run.outcome.key = std::move(series.key);
  run.outcome.problem = std::move(series.problem);
  Problem& problem = run.outcome.problem;
  problem.task = plan.task;
  problem.scale = plan.scale.empty() ? LossScale() : LossScale::from(plan.scale, option("scale"));
  if (const auto* state = states.find(run.outcome.key)) {
    Resumed resumed = resume(*state, problem, plan.rules);
    run.aggregator = std::move(resumed.aggregator);
    run.outcome.skipped = resumed.skipped;
    run.outcome.came = std::move(resumed.came);
    run.outcome.missing = std::move(resumed.missing);
    run.outcome.left = std::move(resumed.left);
    if (resumed.before) run.before = resumed.before->clock;
  }
  const bool alone = request.series.empty();
  if (problem.times && problem.rounds() > 0) {
    // A thousand series with gaps are not told one by one.
    put_in_time(problem, run.before ? &*run.before : nullptr, alone,
                alone ? notes.teller() : TellNote());
  }
  check_values(problem, request.outcome);
  if (alone) note_coming(problem, request, notes);
  return run;
}

void check_dropped(std::span<const SeriesRun> runs, const Request& request) {
  for (const std::string& name : request.drop) {
    const bool had = std::ranges::any_of(runs, [&](const SeriesRun& run) {
      return std::ranges::find(run.outcome.left, name) != run.outcome.left.end();
    });
    if (had) continue;
    throw Error(
        ErrorKind::kUnknown, {.file = request.state_name, .field = "drop"},
        fmt::format("has no expert {}, which {} names; leave it out", name, option("drop")));
  }
}

// Who has come and gone since the states were saved, in any of the series.
void note_changes(std::span<const SeriesRun> runs, const Request& request,
                  const std::string& origin, Notes& notes) {
  const auto tell = [&](std::vector<std::string> SeriesOutcome::*who, std::string_view what,
                        const std::string& then) {
    std::set<std::string> names;
    for (const SeriesRun& run : runs) {
      names.insert((run.outcome.*who).begin(), (run.outcome.*who).end());
    }
    if (names.empty()) return;
    notes.add(NoteKind::kExperts, fmt::format("{}: {} {}: {}; {}", origin, what, request.state_name,
                                              fmt::join(names, ", "), then));
  };
  tell(&SeriesOutcome::came, "new to", "a newcomer begins with about 1/K of the weight");
  tell(&SeriesOutcome::missing, "not here, but known to",
       fmt::format("missing until it is back; {} takes one out for good", option("drop")));
  tell(&SeriesOutcome::left, "taken out of", "the others have its weight");
}

// Plays one series. What is saved is the aggregator that everybody watched.
void play(SeriesRun& run, const Plan& plan, const ComparisonOptions& compared,
          const Request& request) {
  const Problem& problem = run.outcome.problem;
  const bool begins = !run.aggregator;
  if (begins && !plan.spec.empty()) {
    const MethodTraits& traits = method_info(plan.spec).traits;
    run.aggregator =
        make_player(problem, plan.spec,
                    traits.share_form || (compared.certify_forecasts && traits.certifies_forecasts),
                    compared.intervals);
  }
  Aggregator* const last = run.aggregator ? &*run.aggregator : nullptr;
  run.outcome.comparison = play_methods(problem, compared, last);
  if (problem.has_forecasts()) run.outcome.errors = errors_of(problem, run.outcome.comparison);
  if (last == nullptr) return;
  if (request.save) {
    RunNote note{run.outcome.comparison.methods.back().name, request.outcome, plan.scale, {}};
    if (problem.times && (run.before || problem.known() > 0)) {
      note.clock = clock_after(problem, run.before ? &*run.before : nullptr);
    }
    leave_note(*last, note);
    run.state = last->save_bytes();
  }
  run.aggregator.reset();  // a thousand of them need not live together
}

void run_points(const Request& request, Table table, Notes& notes, Outcome& outcome) {
  SeriesStates states = states_of(request);
  Plan plan = plan_of(states, request);
  const std::string origin = table.origin;
  auto series = problems_of(std::move(table), request, notes.teller());
  if (states.size() == 0) {
    series.front().problem.task = plan.task;
    choose_methods(plan, request, series.front().problem, notes);
  }
  std::vector<SeriesRun> runs(series.size());
  parallel_for(series.size(), request.threads, [&](std::size_t i) {
    runs[i] = prepare(std::move(series[i]), states, plan, request, notes);
  });
  std::size_t skipped = 0;
  for (const SeriesRun& run : runs) {
    skipped += run.outcome.skipped;
    if (run.before) outcome.last_learned = run.before->last_text;
  }
  if (skipped > 0) {
    notes.add(NoteKind::kLearned,
              fmt::format("{}: {} row{} skipped, which {} has learned already", origin, skipped,
                          skipped == 1 ? " was" : "s were", request.state_name));
  }
  std::erase_if(runs, [](const SeriesRun& run) { return run.outcome.problem.rounds() == 0; });
  if (runs.empty()) return;  // where there is nothing new, nothing is changed
  check_dropped(runs, request);
  note_changes(runs, request, origin, notes);

  std::size_t rounds = 0, played = 0;
  for (const auto& run : runs) rounds += rounds_to_play(run.outcome.problem, plan.compared);
  std::mutex one_at_a_time;
  ComparisonOptions compared = plan.compared;
  compared.advance = teller_of(request, rounds, one_at_a_time, played);
  parallel_for(runs.size(), request.threads,
               [&](std::size_t i) { play(runs[i], plan, compared, request); });
  for (SeriesRun& run : runs) {
    if (request.save) states.put(run.outcome.key, std::move(run.state));
    outcome.series.push_back(std::move(run.outcome));
  }
  if (request.save) outcome.state = states.file();
  if (outcome.series.front().problem.has_forecasts()) {
    std::vector<const Errors*> errors;
    for (const auto& one : outcome.series) errors.push_back(&one.errors);
    outcome.errors = errors.size() == 1 ? *errors.front() : add_errors(errors);
  }
}

// ---- Quantiles ----------------------------------------------------------------------------------

// A new panel, or that of the state that is resumed, with its note.
QuantilePanel panel_of(const Request& request, const QuantileProblem& problem,
                       std::optional<LevelNote>& before) {
  const bool log1p = request.transform == QuantileScale::kLog1p;
  if (request.state.empty()) {
    if (log1p) check_log1p(problem);
    return QuantilePanel({.levels = problem.levels,
                          .scale = request.transform,
                          .calibrate = request.calibrate,
                          .certify = true});
  }
  QuantilePanel panel = QuantilePanel::load_bytes(request.state, request.state_name);
  before = find_note(panel, request.state_name);
  check_resumes(problem, panel, *before, request.state_name);
  const auto refuse = [&](const char* field, const std::string& how) {
    throw Error(ErrorKind::kMismatch, {.file = request.state_name, .field = field},
                fmt::format("was saved without {}; leave it out", how));
  };
  if (panel.options().scale == QuantileScale::kLog1p) {
    check_log1p(problem);
  } else if (log1p) {
    refuse("transform", option("transform"));
  }
  if (!request.calibrate && panel.options().calibrate)
    refuse("calibrate", option("calibrate", "none"));
  return panel;
}

void run_quantiles(const Request& request, Table table, Notes& notes, Outcome& outcome) {
  QuantileProblem problem = quantile_problem_of(std::move(table), request);
  std::optional<LevelNote> before;
  QuantilePanel panel = panel_of(request, problem, before);
  const std::size_t experts_before = before ? panel.experts().size() : 0;
  std::size_t played = 0;
  std::mutex one_at_a_time;
  const auto start = std::chrono::steady_clock::now();
  QuantilePlay play =
      play_quantiles(problem, panel, before ? &*before : nullptr,
                     teller_of(request, problem.rounds.size(), one_at_a_time, played));
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  if (before) outcome.last_learned = before->last_text;
  if (problem.rounds.empty()) return;
  if (play.skipped > 0) {
    notes.add(NoteKind::kLearned,
              fmt::format("{}: {} rounds up to {} are in {} already; outcomes that it waited for "
                          "were taken",
                          problem.origin, play.skipped, before->last_text, request.state_name));
  }
  if (const auto now = panel.experts(); experts_before > 0 && now.size() > experts_before) {
    notes.add(NoteKind::kExperts,
              fmt::format("{}: new to {}: {}", problem.origin, request.state_name,
                          fmt::join(now.subspan(experts_before), ", ")));
  }
  leave_note(panel, play.note);
  if (request.save) outcome.state = panel.save_bytes();
  const double ns = spent.count() / static_cast<double>(problem.rounds.size());
  outcome.quantiles.emplace(
      QuantileOutcome{std::move(problem), std::move(play.published), std::move(panel), ns});
}

}  // namespace

Outcome run(const Request& request, Table table) {
  check_request(request);
  Outcome outcome;
  outcome.by = request.series;
  Notes notes(request.tell);
  for (const Note& note : table.notes) notes.add(note);
  if (request.quantiles.empty()) {
    run_points(request, std::move(table), notes, outcome);
  } else {
    run_quantiles(request, std::move(table), notes, outcome);
  }
  outcome.notes = notes.take();
  return outcome;
}

}  // namespace pcgs
