// pcgs forecast: forecast one column of a file with a pool of experts, combined online.
#include <fmt/format.h>

#include <optional>

#include "commands.h"
#include "compare/method_list.h"
#include "core/whole_file.h"
#include "io/progress.h"
#include "loss_options.h"
#include "option_kinds.h"
#include "outputs.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "registry/hindsight.h"
#include "report/report.h"
#include "report_file.h"
#include "results/result.h"
#include "studies/forecast_csv.h"
#include "studies/forecast_series.h"

namespace pcgs::cli {

using studies::ForecastRow;
using studies::Series;

namespace {

struct ForecastOptions {
  std::string input, column, pool, method, model, out, report;
  std::vector<std::size_t> seasons;
  std::vector<std::string> forecasts;
  LossOptions loss;
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

// Forecasts the series once more, in depth: now the losses are known.
std::string report_page(const Series& series, const results::ForecastResult& result, Matrix losses,
                        const std::string& method, ExpertPool& pool, Aggregator& aggregator) {
  constexpr std::size_t kSwitches = 20, kBuckets = 2000;
  const report::Hindsight hindsight(std::move(losses), kSwitches, kBuckets);
  report::DepthRecorder recorder(method, hindsight, &aggregator.method());
  report::ForecastRecorder curves(series.origin, series.column, method, aggregator.names(),
                                  series.values.size());
  aggregator.trace(&recorder);
  forecast_series(series, pool, aggregator, [&](const ForecastRow& row) {
    curves.add(row.value, row.forecast, row.experts);
  });
  report::Material material;
  material.results.push_back({series.origin, result});
  if (hindsight.rounds() > 0) {
    auto& depth = material.results.front().depth;
    depth = report::describe(series.column, aggregator.names(), hindsight);
    add_method(*depth, hindsight, recorder);
  }
  const auto* best = results::best_expert(result);
  material.forecasts.push_back(curves.finish(best != nullptr ? best->name : ""));
  return report::page(material);
}

void run_forecast(const ForecastOptions& options) {
  const std::string method = chosen_method(options);
  const Series series = studies::read_series(options.input, options.column, options.forecasts);
  const auto make_pool = [&] {
    return ExpertPool(options.pool.empty() ? standard_experts(options.seasons)
                                           : read_experts(options.pool));
  };
  ExpertPool pool = make_pool();
  const auto names = expert_names(pool, series);
  IntervalOptions intervals;
  if (!options.seasons.empty()) intervals.season = options.seasons.front();
  const auto make_player = [&] {
    return make_aggregator(
        method, names.size(),
        {chosen_task(options.loss), chosen_scale(options.loss), names, false, 1, intervals});
  };
  Aggregator aggregator = make_player();
  check_distinct({options.out, options.report}, {options.input, options.pool, options.model});
  std::optional<WholeFile> file;
  if (!options.out.empty()) file.emplace(options.out);
  ReportFile page(options.report);
  report::LossKeeper losses(names.size());
  if (page) aggregator.trace(&losses);

  std::optional<studies::ForecastCsv> csv;
  if (file) {
    csv.emplace(names, [&](std::string_view piece) { file->write(piece); });
  } else if (!options.json) {
    csv.emplace(names,
                [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); });
  }
  studies::SeriesForecast forecast;
  {
    io::ProgressBar progress("forecasting", series.values.size(), options.quiet);
    forecast = forecast_series(series, pool, aggregator, [&](const ForecastRow& row) {
      progress.advance();
      if (csv) csv->add(row);
    });
  }
  std::string made;
  if (page) {
    ExpertPool again = make_pool();
    Aggregator watched = make_player();
    made = report_page(series, forecast.result, losses.take(), method, again, watched);
  }
  if (csv) csv->finish();
  if (file) file->commit();
  if (page) {
    page.write(made);
    page.commit();
  }
  if (options.json) {
    fmt::print("{}\n", results::to_json(forecast.result));
  } else if (file) {
    fmt::print("{}", forecast_table(series.origin, forecast));
    if (page) fmt::print("page in {}\n", options.report);
  }
}

}  // namespace

void add_forecast(CLI::App& app) {
  auto [command, options] = add_command(
      app, "forecast", "Forecast one column of a file with a pool of experts, combined online",
      run_forecast);
  add_text(command, "FILE", options->input,
           "The series, one row per step: .csv with a header, or .npy")
      ->required();
  add_text(command, "--column", options->column,
           "The column to forecast; an empty or NaN value is a gap, which is forecast but not "
           "learned from")
      ->required();
  CLI::Option* season =
      add_numbers(command, "--season", options->seasons, 2, 262144,
                  "Rows in each season, the shortest first: 24,168 for hours with days and weeks "
                  "(default: no season)");
  add_text(command, "--pool", options->pool,
           "JSON file that describes the experts (docs/experts.md)")
      ->excludes(season);
  add_names(command, "--forecasts", options->forecasts,
            "Columns that hold forecasts of your own; they join the pool");
  add_text(command, "--method", options->method,
           "How they are combined; pcgs methods lists the methods and names the default");
  add_model(command, options->model);
  add_loss_options(command, options->loss, {"squared", "absolute", "pinball"}, "the default");
  add_report_option(command, options->report);
  add_text(command, "--out", options->out,
           "Write forecasts and weights to this CSV file and print a table of the experts");
  add_printing(command, options->json, options->quiet, "");
  command.footer(
      "Every forecast is made before its value is looked at. Prints, or writes with --out, one "
      "row\n"
      "for each row of the file and one more, for the value that comes next: row, value, combined\n"
      "forecast, and the weight of each expert.\n\n"
      "Examples:\n"
      "  pcgs forecast load.csv --column load --season 24,168 --out forecasts.csv\n"
      "  pcgs forecast load.csv --column load --pool pool.json --forecasts ours,theirs --json\n"
      "  pcgs forecast sales.csv --column sold --loss absolute --method ml-poly > forecasts.csv");
}

}  // namespace pcgs::cli
