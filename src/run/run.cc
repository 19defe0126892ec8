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
#include "data/text.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "run/checks.h"
#include "run/comparison.h"
#include "run/errors.h"
#include "run/quantiles.h"
#include "run/resume.h"
#include "run/rounds.h"

namespace pcgs {

using namespace compare;  // NOLINT: what a run is made of

namespace {

// ---- What is told -------------------------------------------------------------------------------

// Notes, at once, which are also kept for the outcome, and how far the run is; by several threads.
class Told {
 public:
  explicit Told(const Request& request) : request_(request) {}

  void note(NoteKind kind, std::string sentence) { note({kind, std::move(sentence)}); }
  void note(const Note& note) {
    const std::lock_guard lock(one_at_a_time_);
    kept_.push_back(note);
    if (request_.tell) request_.tell(note);
  }
  TellNote notes() {
    return [this](const Note& one) { note(one); };
  }
  std::vector<Note> take() { return std::move(kept_); }

  // Is told of rounds that were played, of so many. Empty if nobody asks.
  std::function<void(std::size_t)> progress(std::size_t all) {
    if (!request_.progress) return {};
    return [this, all](std::size_t rounds) {
      const std::lock_guard lock(one_at_a_time_);
      played_ += rounds;
      request_.progress(std::min(played_, all), all);
    };
  }

  // ---- Since the state was saved ----

  void learned(const std::string& origin, std::size_t rounds, const char* what,
               std::string_view then = "") {
    if (rounds == 0) return;
    note(NoteKind::kLearned,
         fmt::format("{}: {} skipped, which {} has learned already{}", origin,
                     io::counted(rounds, what) + (rounds == 1 ? " was" : " were"),
                     request_.state_name, then));
  }
  template <class Names>
  void experts(const std::string& origin, std::string_view what, const Names& names,
               const std::string& then) {
    if (std::ranges::empty(names)) return;
    note(NoteKind::kExperts, fmt::format("{}: {} {}: {}; {}", origin, what, request_.state_name,
                                         fmt::join(names, ", "), then));
  }

 private:
  const Request& request_;
  std::mutex one_at_a_time_;
  std::vector<Note> kept_;
  std::size_t played_ = 0;
};

// ---- What holds for all series ------------------------------------------------------------------

struct Plan {
  TaskLoss task;
  std::string scale;  // as the user wrote it
  std::string spec;   // of the method that is saved or resumed
  ComparisonOptions compared;
};

SeriesStates states_of(const Request& request) {
  if (request.state.empty()) return SeriesStates(request.series);
  auto states = SeriesStates::parse(request.state, request.state_name);
  if (states.by() == request.series) return states;
  if (states.by().empty()) {
    refuse_state(request.state_name, "series", "holds the state of one series; leave {} out",
                 option("series"));
  }
  refuse_state(request.state_name, "series", "holds {} series by {}; give {}", states.size(),
               fmt::join(states.by(), ", "),
               option("series", fmt::format("{}", fmt::join(states.by(), ","))));
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
  plan.task = request.loss.value_or(TaskLoss());
  if (states.size() == 0) return plan;
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
std::vector<std::size_t> seasons_of(const Request& request, const Problem& problem, Told& told) {
  if (!problem.has_forecasts()) return {};
  if (request.season) return *request.season;
  auto seasons = usual_seasons(problem);
  if (!seasons.empty()) told.note(suggested_seasons(problem, seasons));
  return seasons;
}

void note_unused_side(const std::vector<std::string>& methods, const Problem& problem, Told& told) {
  if (problem.side.columns == 0) return;
  const bool used = std::ranges::any_of(methods, [&](const std::string& name) {
    return is_playable(name) && make_method(name, problem.experts.size())->side_needed() > 0;
  });
  if (used) return;
  told.note(NoteKind::kUnused, fmt::format("{}: {} makes no use of side information",
                                           problem.origin, fmt::join(methods, ", ")));
}

// The methods of a run that begins. The last one is published.
void choose_methods(Plan& plan, const Request& request, const Problem& problem, Told& told) {
  ComparisonOptions& compared = plan.compared;
  const auto seasons = seasons_of(request, problem, told);
  const MethodRequest wanted{request.methods, request.model_file, problem.has_forecasts(), seasons};
  compared.methods = methods_from(wanted);
  compared.called = names_from(wanted);
  check_methods(compared.methods,
                {problem.experts.size(), problem.side.columns, problem.has_forecasts()});
  note_unused_side(compared.methods, problem, told);
  const bool playable = is_playable(compared.methods.back());
  const auto levels = interval_levels(request);
  const bool log = plan.task.kind() == TaskLoss::Kind::kLog;
  if (log && request.intervals && !levels.empty()) {
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

// ---- Series of points ---------------------------------------------------------------------------

// One on its way through a run.
struct SeriesRun {
  SeriesOutcome outcome;
  std::optional<Aggregator> aggregator{};  // of a run that is resumed or saved
  std::optional<Clock> before{};           // of the run that it resumes from
  SeriesStates::Bytes state{};             // after the run, if it is saved

  const Clock* clock() const { return before ? &*before : nullptr; }
};

void note_coming(const Problem& problem, const Request& request, Told& told) {
  const std::size_t coming = problem.rounds() - problem.known();
  if (coming <= request.block || !problem.known_at.empty()) return;
  told.note(NoteKind::kComing,
            fmt::format("{}: {} rows are to come, and errors and intervals are those of {} ahead; "
                        "if all are forecast at once, give {}",
                        problem.origin, coming,
                        request.block == 1 ? "one round" : fmt::format("{} rounds", request.block),
                        option("block", fmt::format("{}", coming))));
}

// Brings a series to where it can be played.
SeriesRun prepare(Series series, const SeriesStates& states, const Plan& plan,
                  const Request& request, Told& told) {
  SeriesRun run;
  run.outcome.key = std::move(series.key);
  run.outcome.problem = std::move(series.problem);
  Problem& problem = run.outcome.problem;
  problem.task = plan.task;
  problem.scale = plan.scale.empty() ? LossScale() : LossScale::from(plan.scale, option("scale"));
  if (const auto* state = states.find(run.outcome.key)) {
    Resumed resumed = resume(*state, problem, request, Experts::kMayChange);
    run.outcome.skipped = resumed.skipped;
    run.outcome.came = std::move(resumed.came);
    run.outcome.missing = std::move(resumed.missing);
    run.outcome.left = std::move(resumed.left);
    if (resumed.before) run.before = resumed.before->clock;
    run.aggregator = std::move(resumed.aggregator);
  }
  const bool alone = request.series.empty();
  if (problem.times && problem.rounds() > 0) {
    // A thousand series with gaps are not told one by one.
    put_in_time(problem, run.clock(), alone, alone ? told.notes() : TellNote());
  }
  check_values(problem, request.outcome);
  if (alone) note_coming(problem, request, told);
  return run;
}

// Who has come and gone since the states were saved, in any of the series.
void note_changes(std::span<const SeriesRun> runs, const Request& request,
                  const std::string& origin, Told& told) {
  const auto all = [&](std::vector<std::string> SeriesOutcome::*who) {
    std::set<std::string> names;
    for (const SeriesRun& run : runs) {
      names.insert((run.outcome.*who).begin(), (run.outcome.*who).end());
    }
    return names;
  };
  const auto left = all(&SeriesOutcome::left);
  for (const std::string& name : request.drop) {
    if (left.contains(name)) continue;
    throw Error(
        ErrorKind::kUnknown, {.file = request.state_name, .field = "drop"},
        fmt::format("has no expert {}, which {} names; leave it out", name, option("drop")));
  }
  told.experts(origin, "new to", all(&SeriesOutcome::came),
               "a newcomer begins with about 1/K of the weight");
  told.experts(origin, "not here, but known to", all(&SeriesOutcome::missing),
               fmt::format("missing until it is back; {} takes one out for good", option("drop")));
  told.experts(origin, "taken out of", left, "the others have its weight");
}

// Plays one series. What is saved is the aggregator that everybody watched.
void play(SeriesRun& run, const Plan& plan, const ComparisonOptions& compared,
          const Request& request) {
  const Problem& problem = run.outcome.problem;
  if (!run.aggregator && !plan.spec.empty()) {
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
      note.clock = clock_after(problem, run.clock());
    }
    leave_note(*last, note);
    run.state = last->save_bytes();
  }
  run.aggregator.reset();  // a thousand of them need not live together
}

void run_points(const Request& request, Table table, Told& told, Outcome& outcome) {
  SeriesStates states = states_of(request);
  Plan plan = plan_of(states, request);
  const std::string origin = table.origin;
  auto series = problems_of(std::move(table), request, told.notes());
  if (states.size() == 0) choose_methods(plan, request, series.front().problem, told);
  std::vector<SeriesRun> runs(series.size());
  parallel_for(series.size(), request.threads, [&](std::size_t i) {
    runs[i] = prepare(std::move(series[i]), states, plan, request, told);
  });
  std::size_t skipped = 0;
  for (const SeriesRun& run : runs) {
    skipped += run.outcome.skipped;
    if (run.before) outcome.last_learned = run.before->last_text;
  }
  told.learned(origin, skipped, "row");
  std::erase_if(runs, [](const SeriesRun& run) { return run.outcome.problem.rounds() == 0; });
  if (runs.empty()) return;  // where there is nothing new, nothing is changed
  note_changes(runs, request, origin, told);

  ComparisonOptions compared = plan.compared;
  std::size_t rounds = 0;
  for (const auto& run : runs) rounds += rounds_to_play(run.outcome.problem, compared);
  compared.advance = told.progress(rounds);
  parallel_for(runs.size(), request.threads,
               [&](std::size_t i) { play(runs[i], plan, compared, request); });
  for (SeriesRun& run : runs) {
    if (request.save) states.put(run.outcome.key, std::move(run.state));
    outcome.series.push_back(std::move(run.outcome));
  }
  if (request.save) outcome.state = states.file();
  if (request.outcome.empty()) return;
  std::vector<const Errors*> errors;
  for (const auto& one : outcome.series) errors.push_back(&one.errors);
  outcome.errors = errors.size() == 1 ? *errors.front() : add_errors(errors);
}

// ---- Quantiles ----------------------------------------------------------------------------------

// A new panel, or that of the state that is resumed, with its note.
QuantilePanel panel_of(const Request& request, const QuantileProblem& problem,
                       std::optional<RunNote>& before) {
  const bool resumes = !request.state.empty();
  QuantilePanel panel = resumes ? QuantilePanel::load_bytes(request.state, request.state_name)
                                : QuantilePanel({.levels = problem.levels,
                                                 .scale = request.transform,
                                                 .calibrate = request.calibrate,
                                                 .certify = true});
  const QuantileOptions& options = panel.options();
  if (resumes) {
    before = resumed_note(panel, problem, request.state_name);
    const auto refuse = [&](const char* field, const std::string& how) {
      refuse_state(request.state_name, field, "was saved without {}; leave it out", how);
    };
    if (request.transform != QuantileScale::kRaw && options.scale != request.transform) {
      refuse("transform", option("transform"));
    }
    if (!request.calibrate && options.calibrate) refuse("calibrate", option("calibrate", "none"));
  }
  if (options.scale == QuantileScale::kLog1p) check_log1p(problem);
  return panel;
}

// Whose forecasts were far outside all others in this run, those with the most first.
void note_outliers(const QuantilePanel& panel, std::span<const std::int64_t> before,
                   const std::string& origin, Told& told) {
  std::vector<std::pair<std::int64_t, std::string>> far;
  for (std::size_t k = 0; k < panel.experts().size(); ++k) {
    const std::int64_t times = panel.outliers_by_expert()[k] - (k < before.size() ? before[k] : 0);
    if (times > 0) far.emplace_back(-times, panel.experts()[k]);
  }
  if (far.empty()) return;
  std::ranges::sort(far);
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> named;
  for (const auto& [times, name] : std::span(far).first(std::min(far.size(), kNamed))) {
    named.push_back(
        fmt::format("{}: {}", name, io::counted(static_cast<std::size_t>(-times), "forecast")));
  }
  if (far.size() > kNamed) named.push_back(fmt::format("{} others", far.size() - kNamed));
  told.note(NoteKind::kOutliers,
            fmt::format("{}: far outside all others, and held at their edge: {}", origin,
                        fmt::join(named, ", ")));
}

void run_quantiles(const Request& request, Table table, Told& told, Outcome& outcome) {
  QuantileProblem problem = quantile_problem_of(std::move(table), request);
  std::optional<RunNote> before;
  QuantilePanel panel = panel_of(request, problem, before);
  const std::vector<std::int64_t> outliers_before(panel.outliers_by_expert().begin(),
                                                  panel.outliers_by_expert().end());
  const auto start = std::chrono::steady_clock::now();
  QuantilePlay play = play_quantiles(problem, panel, before ? &*before : nullptr,
                                     told.progress(problem.rounds.size()));
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  if (before) outcome.last_learned = before->clock->last_text;
  if (problem.rounds.empty()) return;
  told.learned(problem.origin, play.skipped, "round", "; outcomes that it waited for were taken");
  if (before)
    told.experts(problem.origin, "new to", panel.experts().subspan(outliers_before.size()),
                 "a newcomer counts as good as equal weights");
  note_outliers(panel, outliers_before, problem.origin, told);
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
  Told told(request);
  for (const Note& note : table.notes) told.note(note);
  const auto run_all = request.quantiles.empty() ? run_points : run_quantiles;
  run_all(request, std::move(table), told, outcome);
  outcome.notes = told.take();
  return outcome;
}

}  // namespace pcgs
