// pcgs forecast: forecast one column of a file with a pool of experts, combined online.
#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "commands.h"
#include "compare/going_on.h"
#include "compare/method_list.h"
#include "core/whole_file.h"
#include "io/progress.h"
#include "loss_options.h"
#include "option_kinds.h"
#include "outputs.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "registry/hindsight.h"
#include "report/run_page.h"
#include "report_file.h"
#include "results/result.h"
#include "state_options.h"
#include "studies/forecast_series.h"
#include "studies/forecast_state.h"

namespace pcgs::cli {

using compare::Problem;

namespace {

struct ForecastOptions {
  std::string input, pool, method, model, out, report;
  studies::SeriesColumns columns;
  NumberSigns signs;
  std::vector<std::size_t> seasons;
  LossOptions loss;
  StateOptions state;
  bool json = false;
  bool quiet = false;
};

// The shortest and the longest: what a method can know about.
std::vector<std::size_t> seasons_for(const ForecastOptions& options) {
  if (options.seasons.size() <= 2) return options.seasons;
  return {options.seasons.front(), options.seasons.back()};
}

std::string chosen_method(const ForecastOptions& options) {
  const auto methods =
      compare::methods_from({options.method, options.model, true, seasons_for(options)});
  if (methods.size() != 1 || !is_playable(methods.front())) {
    throw Error("--method names one method that can be played; pcgs methods lists them");
  }
  return methods.front();
}

compare::GoingOnRules rules_of(const ForecastOptions& options) {
  compare::GoingOnRules rules;
  rules.state = options.state.resume;
  rules.outcome = options.columns.column;
  if (options.loss.given) rules.task = chosen_task(options.loss);
  rules.scale = options.loss.scale;
  rules.skip_learned = options.state.skip_learned;
  if (!options.method.empty() || !options.model.empty()) rules.method = chosen_method(options);
  return rules;
}

// The rounds of the file that are new, forecast by the pool, and the aggregator that combines them.
struct Begun {
  Problem problem;
  Aggregator aggregator;
  std::optional<compare::Clock> before{};  // of the run that it goes on from
  std::string method, scale;               // as the user wrote them
};

void check_new(const Problem& problem, const ForecastOptions& options) {
  if (problem.rounds() > 0) return;
  throw Error(fmt::format("{}: no row is new since {}; add rows, or leave --resume out",
                          problem.origin, options.state.resume));
}

Begun begin(const ForecastOptions& options, ExpertPool& pool, const compare::Note& note) {
  auto columns = options.columns;
  columns.note = note;
  columns.format = number_format(options.signs);
  Problem problem = studies::read_series(options.input, columns);
  std::optional<studies::ForecastState> state;
  std::optional<compare::RunNote> earlier;
  if (!options.state.resume.empty()) {
    state = studies::ForecastState::load(options.state.resume);
    pool.load_bytes(state->pool, options.state.resume);
    earlier = compare::find_note(
        Aggregator::load_bytes(state->aggregator, options.state.resume, make_method),
        options.state.resume);
  }
  const compare::Clock* before = earlier && earlier->clock ? &*earlier->clock : nullptr;
  if (before != nullptr) drop_learned(problem, *before, rules_of(options));
  check_new(problem, options);
  if (problem.times) put_in_time(problem, before, false, note);
  {
    const auto bar = io::progress_bars(options.quiet)("forecasting", problem.rounds());
    studies::let_forecast(problem, columns.column, pool, before, bar);
  }
  const auto finish = [&](Aggregator aggregator, std::string method, std::string scale) {
    compare::check_values(problem, columns.column);
    std::optional<compare::Clock> clock;
    if (before != nullptr) clock = *before;
    return Begun{std::move(problem), std::move(aggregator), clock, std::move(method),
                 std::move(scale)};
  };
  if (state) {
    auto on = compare::go_on(state->aggregator, problem, rules_of(options));
    std::string method = earlier ? earlier->method : on.aggregator.method().name();
    return finish(std::move(on.aggregator), std::move(method), earlier ? earlier->scale : "");
  }
  const std::string method = chosen_method(options);
  problem.task = chosen_task(options.loss);
  problem.scale = chosen_scale(options.loss);
  IntervalOptions intervals;
  if (!options.seasons.empty()) intervals.season = options.seasons.front();
  return finish(compare::make_player(problem, method, false, intervals), method,
                options.loss.scale);
}

void run_forecast(ForecastOptions& options) {
  settle(options.state);
  std::vector<std::string> inputs = {options.input == "-" ? "" : options.input, options.pool,
                                     options.model};
  check_distinct({options.out, options.report, options.state.save}, inputs);
  std::optional<WholeFile> file, state;
  if (!options.out.empty()) file.emplace(options.out);
  if (!options.state.save.empty()) state.emplace(options.state.save);
  ReportFile page(options.report);

  ExpertPool pool(options.pool.empty() ? standard_experts(options.seasons)
                                       : read_experts(options.pool));
  Begun begun = begin(options, pool, notes(options.quiet));
  const Problem& problem = begun.problem;
  compare::ComparisonOptions compared;
  compared.methods = {begun.method};
  compared.switches = {20};
  compared.keep_weights = true;
  std::optional<report::DepthObserver> depth;
  if (page) {
    compared.observers.push_back(&depth.emplace(problem));
    compared.stretches = report::stretches_for(1);
  }
  compared.advance =
      io::progress_bars(options.quiet)("combining", rounds_to_play(problem, compared));
  const auto comparison = play_methods(problem, compared, &begun.aggregator);
  compared.advance = {};

  const auto result = studies::forecast_result(problem, options.columns.column, comparison);
  const std::string rows = studies::forecast_csv(problem, comparison);
  if (file) file->write(rows);
  if (page) page.write(report::run_page(problem, comparison, depth->take()));
  if (state) {
    compare::RunNote note{begun.method, options.columns.column, begun.scale, {}};
    if (problem.times) note.clock = clock_after(problem, begun.before ? &*begun.before : nullptr);
    leave_note(begun.aggregator, note);
    const auto bytes =
        studies::ForecastState{pool.save_bytes(), begun.aggregator.save_bytes()}.file();
    state->write(bytes.data(), bytes.size());
  }
  if (file) file->commit();
  if (state) state->commit();
  if (page) page.commit();
  if (options.json) {
    fmt::print("{}\n", results::to_json(result));
  } else if (file) {
    fmt::print("{}", studies::forecast_table(result, problem.origin));
    if (page) fmt::print("page in {}\n", options.report);
  } else {
    std::fwrite(rows.data(), 1, rows.size(), stdout);
  }
}

}  // namespace

void add_forecast(CLI::App& app) {
  auto [command, options] = add_command(
      app, "forecast", "Forecast one column of a file with a pool of experts, combined online",
      run_forecast);
  add_text(
      command, "FILE", options->input,
      "The series, one row per step: .csv with a header, or .npy; - for standard input; gzipped "
      "or not")
      ->required();
  add_text(command, "--column", options->columns.column,
           "The column to forecast; an empty or NaN value is a gap, which is forecast but not "
           "learned from")
      ->required();
  add_time(command, options->columns.time);
  add_number_signs(command, options->signs);
  CLI::Option* season =
      add_numbers(command, "--season", options->seasons, 2, 262144,
                  "Rows in each season, the shortest first: 24,168 for hours with days and weeks "
                  "(default: no season)");
  add_text(command, "--pool", options->pool,
           "JSON file that describes the experts (docs/experts.md)")
      ->excludes(season);
  add_names(command, "--forecasts", options->columns.forecasts,
            "Columns that hold forecasts of your own; they join the pool");
  add_text(command, "--method", options->method,
           "How they are combined; pcgs methods lists the methods and names the default");
  add_model(command, options->model);
  add_loss_options(command, options->loss, {"squared", "absolute", "pinball"}, "the default");
  add_state_options(command, options->state);
  add_report_option(command, options->report);
  add_text(command, "--out", options->out,
           "Write forecasts, weights and intervals to this CSV file and print how large the errors "
           "were");
  add_printing(command, options->json, options->quiet, "");
  command.footer(
      "Every forecast is made before its value is looked at. Prints, or writes with --out, one "
      "row\n"
      "for each row of the file and one more, for the value that comes next: the time, if there "
      "is\n"
      "one, row, value, combined forecast, the weight of each expert, and intervals.\n\n"
      "Examples:\n"
      "  pcgs forecast load.csv --column load --season 24,168 --out forecasts.csv\n"
      "  pcgs forecast new.csv --column load --time ds --season 24 --state state --out "
      "forecasts.csv\n"
      "  pcgs forecast load.csv --column load --pool pool.json --forecasts ours,theirs --json\n"
      "  pcgs forecast sales.csv --column sold --loss absolute --method ml-poly > forecasts.csv");
}

}  // namespace pcgs::cli
