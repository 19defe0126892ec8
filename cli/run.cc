// pcgs run: combine the experts of a file and say how well that went.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <span>

#include "combine/hindsight.h"
#include "combine/share_forms.h"
#include "commands.h"
#include "data/parallel.h"
#include "data/progress.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "run/comparison.h"
#include "run/going_on.h"
#include "run/method_list.h"
#include "run/series_states.h"
#include "run_files.h"
#include "run_options.h"
#include "run_quantiles.h"
#include "say.h"
#include "show/forecast_files.h"
#include "show/result.h"
#include "show/run_page.h"
#include "show/run_result.h"

namespace pcgs::cli {

using compare::Comparison;
using compare::ComparisonOptions;
using compare::Problem;

namespace {

std::vector<double> chosen_levels(const RunOptions& options) {
  std::vector<double> levels;
  for (const std::size_t level : options.levels) levels.push_back(static_cast<double>(level) / 100);
  std::sort(levels.begin(), levels.end());
  const auto twice = std::adjacent_find(levels.begin(), levels.end());
  if (twice != levels.end()) {
    throw Error(fmt::format("--intervals has {:g} twice; give each level once", 100 * *twice));
  }
  return levels;
}

// None for losses, and none for probabilities of what is 0 or 1.
std::optional<IntervalOptions> chosen_intervals(const RunOptions& options, const Problem& problem,
                                                const std::vector<std::size_t>& seasons) {
  if (!problem.has_forecasts() || problem.task.kind() == TaskLoss::Kind::kLog) return {};
  return IntervalOptions{chosen_levels(options), seasons.empty() ? 0 : seasons.front()};
}

// Before the work, not after it.
void check_certified(const std::vector<std::string>& methods, const std::string& trace) {
  const auto any = [&](bool MethodTraits::*trait) {
    return std::any_of(methods.begin(), methods.end(), [&](const std::string& name) {
      return is_playable(name) && method_info(name).traits.*trait;
    });
  };
  const bool replayed = any(&MethodTraits::share_form);
  if (!replayed && !any(&MethodTraits::certifies_forecasts)) {
    throw Error(fmt::format(
        "{} carries no certificate that can be written (that of guard is shown by --json); give "
        "--method one of {}, or blend for forecasts",
        fmt::join(methods, ","), share_form_names()));
  }
  if (replayed && trace.empty()) {
    throw Error("--certificate goes with --trace, which it is proved from; give --trace FILE");
  }
}

// One series on its way through a run.
struct SeriesRun {
  std::vector<std::string> key{};
  Problem problem{};
  std::optional<Aggregator> aggregator{};              // of a run that is resumed or saved
  std::optional<compare::Clock> before{};              // of the run that it goes on from
  std::size_t skipped = 0;                             // rounds that that one had learned
  std::vector<std::string> came{}, missing{}, left{};  // experts, since that one
  Comparison comparison{};
  compare::SeriesStates::Bytes state{};  // after the run, if it is saved
};

// What holds for all series of a run.
struct Plan {
  TaskLoss task;
  std::string scale;  // as the user wrote it
  std::string spec;   // of the method of a run that is resumed; else empty
  ComparisonOptions compared;
};

compare::GoingOnRules rules_of(const RunOptions& options) {
  auto rules = going_on_rules(options.state, options.columns.outcome, options.loss, options.model);
  if (options.levels_given) rules.levels = chosen_levels(options);
  if (!options.methods.empty()) {
    const auto names = compare::names_from({options.methods, "", !rules.outcome.empty()});
    if (names.size() != 1) {
      throw Error(fmt::format("{}: goes on with one method; leave --method out", rules.state));
    }
    rules.method = names.front();
  }
  if (options.seasons.given) rules.seasons = options.seasons.rounds;
  rules.experts_may_change = true;
  rules.drop = options.drop;
  return rules;
}

compare::SeriesStates earlier_states(const RunOptions& options) {
  if (options.state.resume.empty()) return compare::SeriesStates(options.columns.by);
  auto states = compare::SeriesStates::load(options.state.resume);
  if (states.by() != options.columns.by) {
    throw Error(
        states.by().empty()
            ? fmt::format("{}: holds the state of one series; leave --by out", options.state.resume)
            : fmt::format("{}: holds {} series by {}; give --by {}", options.state.resume,
                          states.size(), fmt::join(states.by(), ", "),
                          fmt::join(states.by(), ",")));
  }
  return states;
}

// A run that goes on does so with the method and the loss of the one before, for new series too.
Plan plan_from(const compare::SeriesStates& states, const RunOptions& options) {
  Plan plan;
  plan.compared.switches = options.switches;
  plan.compared.switch_cost = options.switch_cost;
  plan.compared.certify_forecasts = !options.certificate.empty();
  plan.scale = options.loss.scale;
  if (states.size() == 0) {
    plan.task = chosen_task(options.loss);
    return plan;
  }
  const auto resumed =
      Aggregator::load_bytes(states.all().begin()->second, options.state.resume, make_method);
  const auto note = compare::find_note(resumed, options.state.resume);
  plan.task = resumed.task();
  if (note) plan.scale = note->scale;
  plan.spec = resumed.method().name();
  plan.compared.methods = {note ? note->method : plan.spec};
  plan.compared.intervals = resumed.interval_options();
  return plan;
}

// The methods of a run that begins.
void choose_methods(Plan& plan, const RunOptions& options, const Problem& problem) {
  ComparisonOptions& compared = plan.compared;
  const auto seasons = problem.has_forecasts()
                           ? chosen_seasons(options.seasons, problem, notes(options.quiet))
                           : std::vector<std::size_t>();
  const compare::MethodRequest request{options.methods, options.model, problem.has_forecasts(),
                                       seasons};
  compared.methods = compare::methods_from(request);
  compared.called = compare::names_from(request);
  compare::check_methods(compared.methods,
                         {problem.experts.size(), problem.side.columns, problem.has_forecasts()});
  const bool playable = is_playable(compared.methods.back());
  if (playable) compared.intervals = chosen_intervals(options, problem, seasons);
  if (!options.certificate.empty()) check_certified(compared.methods, options.trace);
  if (options.state.save.empty()) return;
  if (compared.methods.size() != 1 || !playable) {
    throw Error("--save goes with one method that can be played; give it with --method NAME");
  }
  plan.spec = compared.methods.front();
}

LossScale scale_of(const Plan& plan) {
  LossOptions options;
  options.scale = plan.scale;
  return chosen_scale(options);
}

// Brings a series to where it can be played.
SeriesRun prepare(compare::Series series, const compare::SeriesStates& states, const Plan& plan,
                  const RunOptions& options) {
  SeriesRun run{std::move(series.key), std::move(series.problem)};
  Problem& problem = run.problem;
  problem.block = options.block;
  problem.delay = options.delay;
  problem.task = plan.task;
  problem.scale = scale_of(plan);
  if (const auto* state = states.find(run.key)) {
    compare::GoingOn on = compare::go_on(*state, problem, rules_of(options));
    run.aggregator = std::move(on.aggregator);
    run.skipped = on.skipped;
    run.came = std::move(on.came);
    run.missing = std::move(on.missing);
    run.left = std::move(on.left);
    if (on.before) run.before = on.before->clock;
  }
  if (problem.times && problem.rounds() > 0) {
    // A thousand series with gaps are not told one by one.
    put_in_time(problem, run.before ? &*run.before : nullptr, !options.has_series(),
                options.has_series() ? compare::Note() : notes(options.quiet));
  }
  compare::check_values(problem, options.columns.outcome);
  const std::size_t coming = problem.rounds() - problem.known();
  if (const auto note = notes(options.quiet);
      coming > options.block && note && !options.has_series()) {
    note(fmt::format(
        "{}: {} rows are to come, and errors and intervals are those of {} ahead; if all "
        "are forecast at once, give --block {}",
        problem.origin, coming,
        options.block == 1 ? "one round" : fmt::format("{} rounds", options.block), coming));
  }
  return run;
}

void check_dropped(std::span<const SeriesRun> runs, const RunOptions& options) {
  for (const std::string& name : options.drop) {
    const bool had = std::any_of(runs.begin(), runs.end(), [&](const SeriesRun& run) {
      return std::find(run.left.begin(), run.left.end(), name) != run.left.end();
    });
    if (had) continue;
    throw Error(fmt::format("{}: has no expert {}, which --drop names; leave it out",
                            options.state.save.empty() ? options.state.resume : options.state.save,
                            name));
  }
}

// Who has come and gone since the states were saved, in any of the series.
void say_who_changed(std::span<const SeriesRun> runs, const RunOptions& options,
                     const compare::Note& note) {
  const std::string& state = options.state.resume;
  const auto say_of = [&](std::vector<std::string> SeriesRun::*who, const std::string& what,
                          std::string_view then) {
    std::set<std::string> names;
    for (const SeriesRun& run : runs) names.insert((run.*who).begin(), (run.*who).end());
    if (names.empty() || !note) return;
    note(
        fmt::format("{}: {} {}: {}; {}", options.input, what, state, fmt::join(names, ", "), then));
  };
  say_of(&SeriesRun::came, "new to", "a newcomer begins with about 1/K of the weight");
  say_of(&SeriesRun::missing, "not here, but known to",
         "asleep until it is back; --drop takes one out for good");
  say_of(&SeriesRun::left, "taken out of", "the others have its weight");
}

std::vector<SeriesRun> prepare_all(const compare::SeriesStates& states, Plan& plan,
                                   const RunOptions& options) {
  auto columns = options.columns;
  columns.note = notes(options.quiet);
  auto series = compare::read_series(options.input, columns);
  const std::string origin = series.front().problem.origin;
  if (states.size() == 0) {
    series.front().problem.task = plan.task;
    choose_methods(plan, options, series.front().problem);
  }
  std::vector<SeriesRun> runs(series.size());
  parallel_for(series.size(), options.threads, [&](std::size_t i) {
    runs[i] = prepare(std::move(series[i]), states, plan, options);
  });
  std::size_t skipped = 0;
  for (const SeriesRun& run : runs) skipped += run.skipped;
  if (skipped > 0 && columns.note) {
    columns.note(fmt::format("{}: {} row{} skipped, which {} has learned already", origin, skipped,
                             skipped == 1 ? " was" : "s were", options.state.resume));
  }
  std::erase_if(runs, [](const SeriesRun& run) { return run.problem.rounds() == 0; });
  // Where there is nothing new, nothing is changed.
  if (!runs.empty()) check_dropped(runs, options);
  say_who_changed(runs, options, columns.note);
  return runs;
}

// Plays one series. What is saved is the aggregator that everybody watched.
void play(SeriesRun& run, const Plan& plan, const ComparisonOptions& compared,
          const RunOptions& options) {
  if (!run.aggregator && !options.state.save.empty()) {
    const MethodTraits& traits = method_info(plan.spec).traits;
    run.aggregator = compare::make_player(
        run.problem, plan.spec,
        traits.share_form || (compared.certify_forecasts && traits.certifies_forecasts),
        compared.intervals);
  }
  Aggregator* const from = run.aggregator ? &*run.aggregator : nullptr;
  run.comparison = play_methods(run.problem, compared, from);
  if (from == nullptr) return;
  compare::RunNote note{
      run.comparison.methods.front().name, options.columns.outcome, plan.scale, {}};
  if (run.problem.times && (run.before || run.problem.known() > 0)) {
    note.clock = clock_after(run.problem, run.before ? &*run.before : nullptr);
  }
  leave_note(*from, note);
  if (!options.state.save.empty()) run.state = from->save_bytes();
  run.aggregator.reset();  // a thousand of them need not live together
}

std::vector<results::PlayedSeries> played(std::span<const SeriesRun> runs) {
  std::vector<results::PlayedSeries> out;
  for (const auto& run : runs) out.push_back({&run.key, &run.problem, &run.comparison});
  return out;
}

// What a run on forecasts leaves for each row of its file, and the states.
void write_tables(RunFiles& files, std::span<const SeriesRun> runs,
                  const std::vector<std::string>& by, compare::SeriesStates& states) {
  const auto series = played(runs);
  if (files.forecasts != nullptr) files.forecasts->write(forecasts_csv(by, series));
  if (files.intervals != nullptr) files.intervals->write(intervals_csv(by, series));
  if (files.state == nullptr) return;
  for (const auto& run : runs) states.put(run.key, run.state);
  const auto bytes = states.file();
  files.state->write(bytes.data(), bytes.size());
}

void run_one(SeriesRun& run, Plan& plan, compare::SeriesStates& states, const RunOptions& options) {
  ComparisonOptions& compared = plan.compared;
  const Problem& problem = run.problem;
  RunFiles files(options, problem.has_forecasts(),
                 problem.has_forecasts() && compared.intervals.has_value());
  RunObservers observers(options, files, problem, compared.methods.size());
  compared.observers = observers.all();
  compared.stretches = observers.stretches();
  compared.advance = io::progress_bars(options.quiet)("playing", rounds_to_play(problem, compared));
  play(run, plan, compared, options);
  compared.advance = {};

  const auto result = results::run_result(problem, run.comparison);
  const std::string json = results::to_json(result) + "\n";
  if (files.results != nullptr) files.results->write(json);
  write_tables(files, {&run, 1}, {}, states);
  const std::string proved = observers.write(problem, run.comparison, result);
  files.set.commit();
  if (options.json) {
    put(json);
    return;
  }
  say(results::run_table(result, problem.origin) + proved);
  if (!options.report.empty()) say(fmt::format("page in {}\n", options.report));
}

void run_many(std::vector<SeriesRun>& runs, Plan& plan, compare::SeriesStates& states,
              const RunOptions& options) {
  RunFiles files(options, true, plan.compared.intervals.has_value());
  std::size_t rounds = 0;
  for (const auto& run : runs) rounds += rounds_to_play(run.problem, plan.compared);
  std::mutex one_at_a_time;
  const auto bar = io::progress_bars(options.quiet)("playing", rounds);
  ComparisonOptions compared = plan.compared;
  compared.advance = [&](std::size_t more) {
    const std::lock_guard lock(one_at_a_time);
    bar(more);
  };
  std::vector<results::JudgedSeries> judged(runs.size());
  parallel_for(runs.size(), options.threads, [&](std::size_t i) {
    SeriesRun& run = runs[i];
    play(run, plan, compared, options);
    judged[i] = results::judge_series(run.key, run.problem, run.comparison);
  });
  const auto result = results::series_result(options.columns.by, runs.front().problem.experts,
                                             plan.task, std::move(judged));
  const std::string json = results::to_json(result) + "\n";
  if (files.results != nullptr) files.results->write(json);
  write_tables(files, runs, options.columns.by, states);
  if (files.page != nullptr) {
    files.page->write(report::series_page(result, runs.front().problem.origin));
  }
  files.set.commit();
  if (options.json) {
    put(json);
    return;
  }
  say(results::series_table(result, runs.front().problem.origin));
  if (!options.report.empty()) say(fmt::format("page in {}\n", options.report));
}

void run(RunOptions& options) {
  settle(options);
  if (!options.quantiles.empty()) {
    run_quantiles(options);
    return;
  }
  compare::SeriesStates states = earlier_states(options);
  Plan plan = plan_from(states, options);
  std::vector<SeriesRun> runs = prepare_all(states, plan, options);
  if (runs.empty()) {
    say(fmt::format("{}: no row is new since {}; nothing was learned, nothing was written\n",
                    options.input, options.state.resume));
  } else if (options.has_series()) {
    run_many(runs, plan, states, options);
  } else {
    run_one(runs.front(), plan, states, options);
  }
}

}  // namespace

void add_run(CLI::App& app) {
  auto [command, options] = add_command(app, "run", "Combine the experts of a file", run);
  declare(command, *options);
}

}  // namespace pcgs::cli
