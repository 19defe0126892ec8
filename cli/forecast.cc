// pcgs forecast: forecast one column of a file with a pool of experts, combined online.
#include <fmt/format.h>

#include <optional>

#include "combine/hindsight_methods.h"
#include "commands.h"
#include "data/output_files.h"
#include "data/progress.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "run/checks.h"
#include "run/forecast_series.h"
#include "run/resume.h"
#include "say.h"
#include "show/forecast_result.h"
#include "show/report.h"
#include "show/result.h"
#include "show/run_result.h"

namespace pcgs::cli {

namespace {

struct ForecastOptions {
  std::string input, pool, method, model, out, report;
  compare::SeriesColumns columns;
  SeasonOptions seasons;
  LossOptions loss;
  StateOptions state;
  bool json = false;
  bool quiet = false;
};

// The shortest and the longest: what a method can know about.
std::vector<std::size_t> seasons_for_method(const std::vector<std::size_t>& seasons) {
  if (seasons.size() <= 2) return seasons;
  return {seasons.front(), seasons.back()};
}

compare::MethodRequest request_of(const ForecastOptions& options,
                                  const std::vector<std::size_t>& seasons) {
  compare::MethodRequest request{{}, options.model, true, seasons_for_method(seasons)};
  if (!options.method.empty()) request.methods = split_specs(options.method);
  const auto names = compare::names_from(request);
  if (names.size() != 1 || !is_playable(names.front())) {
    throw Error("--method names one method that can be played; pcgs methods lists them");
  }
  return request;
}

// What must agree with the run before.
Request resumed_request(const ForecastOptions& options) {
  Request request;
  request.state_name = options.state.resume;
  request.outcome = options.columns.column;
  if (options.loss.given) request.loss = chosen_task(options.loss);
  request.scale = options.loss.scale;
  request.model_file = options.model;
  request.skip_learned = options.state.skip_learned;
  if (!options.method.empty()) request.methods = request_of(options, {}).methods;
  return request;
}

ExpertPool make_pool(const ForecastOptions& options, const std::vector<std::size_t>& seasons) {
  return ExpertPool(options.pool.empty() ? standard_experts(seasons) : read_experts(options.pool));
}

// The rounds of the file that are new, forecast by the pool, and the aggregator that combines them.
struct Begun {
  Problem problem;
  ExpertPool pool;
  std::vector<std::size_t> seasons;
  Aggregator aggregator;
  std::optional<compare::Clock> before{};  // of the run that it goes on from
  compare::RunNote note{};                 // for the one that goes on from this
};

// Forecasts of the pool for every row that is left.
void forecast_rows(Problem& problem, ExpertPool& pool, const compare::Clock* before,
                   const ForecastOptions& options) {
  const auto bar = io::progress_bars(options.quiet)("forecasting", problem.rounds());
  compare::let_forecast(problem, options.columns.column, pool, before, bar);
}

Begun begin_anew(Problem problem, const ForecastOptions& options, const TellNote& note) {
  if (problem.times) compare::put_in_time(problem, nullptr, false, note);
  auto seasons = options.seasons.given ? options.seasons.rounds : compare::usual_seasons(problem);
  if (!options.seasons.given && !seasons.empty() && note)
    note(compare::suggested_seasons(problem, seasons));
  const auto request = request_of(options, seasons);
  ExpertPool pool = make_pool(options, seasons);
  forecast_rows(problem, pool, nullptr, options);
  problem.task = chosen_task(options.loss);
  if (!options.loss.scale.empty()) {
    problem.scale = LossScale::from(options.loss.scale, option("scale"));
  }
  compare::check_values(problem, options.columns.column);
  IntervalOptions intervals;
  if (!seasons.empty()) intervals.season = seasons.front();
  auto player =
      compare::make_player(problem, compare::methods_from(request).front(), false, intervals);
  return {std::move(problem),
          std::move(pool),
          std::move(seasons),
          std::move(player),
          {},
          {compare::names_from(request).front(), options.columns.column, options.loss.scale, {}}};
}

Begun go_on_from(const std::string& path, Problem problem, const ForecastOptions& options,
                 const TellNote& note) {
  auto state = compare::ForecastState::load(path);
  if (options.seasons.given && options.seasons.rounds != state.seasons) {
    throw Error(
        fmt::format("{}: was saved with other seasons; leave --season out to go on with it", path));
  }
  ExpertPool pool = make_pool(options, state.seasons);
  pool.load_bytes(state.pool, path);
  const auto earlier =
      compare::find_note(Aggregator::load_bytes(state.aggregator, path, make_method), path);
  if (!earlier)
    throw Error(fmt::format("{}: is damaged; give a state that pcgs forecast saved", path));
  const compare::Clock* before = earlier->clock ? &*earlier->clock : nullptr;
  if (before != nullptr) compare::drop_learned(problem, *before, resumed_request(options));
  if (problem.rounds() == 0) {
    throw Error(fmt::format("{}: no row is new since {}; add rows, or leave --resume out",
                            problem.origin, path));
  }
  if (problem.times) compare::put_in_time(problem, before, false, note);
  forecast_rows(problem, pool, before, options);
  auto on =
      compare::resume(state.aggregator, problem, resumed_request(options), compare::Experts::kSame);
  compare::check_values(problem, options.columns.column);
  return {std::move(problem),       std::move(pool), std::move(state.seasons),
          std::move(on.aggregator), earlier->clock,  *earlier};
}

Begun begin(const ForecastOptions& options) {
  const TellNote note = notes(options.quiet);
  auto columns = options.columns;
  columns.tell = note;
  Problem problem = compare::read_series(options.input, columns);
  const std::string& state = options.state.resume;
  return state.empty() ? begin_anew(std::move(problem), options, note)
                       : go_on_from(state, std::move(problem), options, note);
}

void run_forecast(ForecastOptions& options) {
  settle(options.state,
         {{options.out, options.report}, {options.input, options.pool, options.model}},
         options.quiet);
  OutputSet outputs;
  WholeFile* const file = options.out.empty() ? nullptr : &outputs.add(options.out);
  WholeFile* const state = options.state.save.empty() ? nullptr : &outputs.add(options.state.save);
  WholeFile* const page = add_page(outputs, options.report);

  Begun begun = begin(options);
  const Problem& problem = begun.problem;
  compare::ComparisonOptions compared;
  compared.methods = {begun.note.method};
  compared.keep_weights = true;
  std::optional<report::DepthObserver> depth;
  if (page != nullptr) {
    compared.observers.push_back(&depth.emplace());
    compared.switches = {20};
    compared.stretches = report::stretches_for(1);
  }
  compared.advance =
      io::progress_bars(options.quiet)("combining", compare::rounds_to_play(problem, compared));
  const auto comparison = compare::play_methods(problem, compared, &begun.aggregator);
  compared.advance = {};

  const auto result = results::forecast_result(problem, options.columns.column, comparison);
  const std::string rows = results::forecast_csv(problem, comparison);
  if (file != nullptr) file->write(rows);
  if (page != nullptr) {
    page->write(report::run_page(problem, comparison, results::run_result(problem, comparison),
                                 depth->take()));
  }
  if (state != nullptr) {
    compare::RunNote note = begun.note;
    if (problem.times)
      note.clock = compare::clock_after(problem, begun.before ? &*begun.before : nullptr);
    leave_note(begun.aggregator, note);
    const auto bytes = compare::ForecastState{begun.pool.save_bytes(),
                                              begun.aggregator.save_bytes(), begun.seasons}
                           .file();
    state->write(bytes.data(), bytes.size());
  }
  outputs.commit();
  if (options.json) {
    put(results::to_json(result) + "\n");
  } else if (!options.out.empty()) {
    say(results::forecast_table(result, problem.origin));
    if (!options.report.empty()) say(fmt::format("page in {}\n", options.report));
  } else {
    put(rows);
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
  add_number_signs(command, options->columns.format.decimal, options->columns.format.thousands);
  CLI::Option* season = add_season(command, options->seasons);
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
