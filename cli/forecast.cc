// pcgs forecast: forecast one column of a file with a pool of experts, combined online.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "compare/comparison.h"
#include "core/whole_file.h"
#include "given.h"
#include "io/csv_field.h"
#include "io/json_text.h"
#include "io/progress.h"
#include "loss_options.h"
#include "methods/hindsight.h"
#include "outputs.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "report/report.h"
#include "report_file.h"
#include "studies/forecast_series.h"

namespace pcgs::cli {

using studies::ForecastRow;
using studies::ForecastSummary;
using studies::Series;

namespace {

struct ForecastOptions {
  std::string input, column, pool, method, model, out, report;
  std::vector<std::size_t> seasons;
  std::vector<std::string> forecasts;
  LossOptions judged;
  bool json = false;
  bool quiet = false;
};

std::string chosen_method(const ForecastOptions& options) {
  const auto methods = compare::methods_from(options.method, options.model);
  if (methods.size() != 1 || !is_playable(methods.front())) {
    throw Error("--method names one method that can be played; pcgs methods lists them");
  }
  return methods.front();
}

std::string csv_head(const std::vector<std::string>& names) {
  std::string head = "row,value,forecast";
  for (const auto& name : names) head += ',' + csv_field("weight:" + name);
  return head + '\n';
}

void append_csv(const ForecastRow& row, std::string& out) {
  const auto at = std::back_inserter(out);
  const auto number = [&](double x) {
    out += ',';
    if (!std::isnan(x)) fmt::format_to(at, "{}", x);
  };
  fmt::format_to(at, "{}", row.row);
  number(row.value);
  number(row.forecast);
  for (const double w : row.weights) number(w);
  out += '\n';
}

// Forecasts the series once more, in depth: now the losses are known.
std::string report_page(const Series& series, nlohmann::ordered_json json, Matrix losses,
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
  if (hindsight.rounds() > 0) {
    report::RunDepth run = report::describe(series.column, aggregator.names(), hindsight);
    add_method(run, hindsight, recorder);
    material.runs.push_back(std::move(run));
  }
  material.forecasts.push_back(curves.finish(report::best_expert_name(json)));
  material.results.push_back({series.origin, std::move(json)});
  return report::page(material);
}

void forecast(const ForecastOptions& options) {
  const std::string method = chosen_method(options);
  const Series series = studies::read_series(options.input, options.column, options.forecasts);
  const auto make_pool = [&] {
    return ExpertPool(options.pool.empty() ? standard_experts(options.seasons)
                                           : read_experts(options.pool));
  };
  ExpertPool pool = make_pool();
  const auto names = expert_names(pool, series);
  if (std::all_of(series.values.begin(), series.values.end(),
                  [](double y) { return std::isnan(y); })) {
    throw Error(
        fmt::format("{}: column {} holds no value; give a series", series.origin, series.column));
  }
  const auto make_player = [&] {
    return make_aggregator(method, names.size(),
                           {chosen_task(options.judged), chosen_scale(options.judged), names});
  };
  Aggregator aggregator = make_player();
  check_distinct({options.out, options.report}, {options.input, options.pool, options.model});
  std::unique_ptr<WholeFile> file;
  if (!options.out.empty()) file = std::make_unique<WholeFile>(options.out);
  ReportFile page(options.report);
  report::LossKeeper losses(names.size());
  if (page) aggregator.trace(&losses);

  // Rows go out as they come, in pieces: a long series times many experts does not fit in memory.
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  const bool to_stdout = !file && !options.json;
  std::string piece = file || to_stdout ? csv_head(names) : "";
  const auto flush = [&] {
    if (file) {
      file->write(piece);
    } else {
      std::fwrite(piece.data(), 1, piece.size(), stdout);
    }
    piece.clear();
  };
  ForecastSummary summary;
  {
    io::ProgressBar progress("forecasting", series.values.size(), options.quiet);
    summary = forecast_series(series, pool, aggregator, [&](const ForecastRow& row) {
      progress.advance();
      if (!file && !to_stdout) return;
      append_csv(row, piece);
      if (piece.size() > kPiece) flush();
    });
  }
  std::string made;
  if (page) {
    ExpertPool again = make_pool();
    Aggregator watched = make_player();
    made = report_page(series, forecast_json(series, aggregator, summary), losses.take(), method,
                       again, watched);
  }
  if (file || to_stdout) flush();
  if (file) file->commit();
  if (page) page.write(made);
  if (options.json) {
    fmt::print("{}\n", io::json_text(forecast_json(series, aggregator, summary)));
  } else if (file) {
    fmt::print("{}", forecast_table(series, aggregator, summary));
    if (page) fmt::print("page in {}\n", options.report);
  }
}

}  // namespace

void add_forecast(CLI::App& app) {
  auto options = std::make_shared<ForecastOptions>();
  CLI::App* command = app.add_subcommand(
      "forecast", "Forecast one column of a file with a pool of experts, combined online");
  const auto text = [&](const char* name, std::string& value, const char* meaning) {
    return command->add_option(name, value, meaning)->check(given())->type_name("TEXT");
  };
  text("FILE", options->input, "The series, one row per step: .csv with a header, or .npy")
      ->required();
  text("--column", options->column,
       "The column to forecast; an empty or NaN value is a gap, which is forecast but not learned "
       "from")
      ->required();
  CLI::Option* season =
      command
          ->add_option("--season", options->seasons,
                       "Rows in each season, the shortest first: 24,168 for hours with days and "
                       "weeks (default: no season)")
          ->delimiter(',')
          ->check(CLI::Range(2, 262144))
          ->type_name("NUMBERS");
  text("--pool", options->pool, "JSON file that describes the experts (docs/experts.md)")
      ->excludes(season);
  command
      ->add_option("--forecasts", options->forecasts,
                   "Columns that hold forecasts of your own; they join the pool")
      ->delimiter(',')
      ->check(given())
      ->type_name("NAMES");
  text("--method", options->method,
       "How they are combined; pcgs methods lists the methods and names the default");
  text("--model", options->model,
       "Weights of pcgs-tf, also inside guard (.safetensors), instead of the shipped ones");
  add_loss_options(*command, options->judged, {"squared", "absolute", "pinball"}, "the default");
  add_report_option(*command, options->report);
  text("--out", options->out,
       "Write forecasts and weights to this CSV file and print a table of the experts");
  command->add_flag("--json", options->json, "Print one JSON object instead");
  command->add_flag("--quiet", options->quiet, "No progress bar");
  command->footer(
      "Every forecast is made before its value is looked at. Prints, or writes with --out, one "
      "row\n"
      "for each row of the file and one more, for the value that comes next: row, value, combined\n"
      "forecast, and the weight of each expert.\n\n"
      "Examples:\n"
      "  pcgs forecast load.csv --column load --season 24,168 --out forecasts.csv\n"
      "  pcgs forecast load.csv --column load --pool pool.json --forecasts ours,theirs --json\n"
      "  pcgs forecast sales.csv --column sold --loss absolute --method ml-poly > forecasts.csv");
  command->callback([options] { forecast(*options); });
}

}  // namespace pcgs::cli
