// pcgs run: combine the experts of a file and say how well that went.
#include "pcgs/run.h"

#include <fmt/format.h>

#include <memory>
#include <span>

#include "combine/hindsight_methods.h"
#include "commands.h"
#include "data/progress.h"
#include "run_files.h"
#include "run_options.h"
#include "say.h"
#include "show/forecast_files.h"
#include "show/result.h"
#include "show/run_page.h"
#include "show/run_result.h"

namespace pcgs::cli {

namespace {

// What a run printed and wrote is about.
struct Answer {
  std::string json, table;
};

// One row for each row of the file.
void write_rows(RunFiles& files, const Outcome& outcome, const RunOptions& options) {
  if (files.forecasts == nullptr) return;
  std::vector<results::PlayedSeries> played;
  for (const auto& one : outcome.series)
    played.push_back({&one.key, &one.problem, &one.comparison});
  files.forecasts->write(forecasts_csv(outcome.by, played));
  if (!outcome.series.front().comparison.methods.back().intervals) return;
  files.set.add(options.intervals_file()).write(intervals_csv(outcome.by, played));
}

Answer answer_one(const Outcome& outcome, RunObservers& observers) {
  const SeriesOutcome& run = outcome.series.front();
  const auto result = results::run_result(run.problem, run.comparison, run.errors);
  const std::string proved = observers.write(run, result);
  return {results::to_json(result), results::run_table(result, run.problem.origin) + proved};
}

Answer answer_many(const Outcome& outcome, RunFiles& files) {
  const std::string& origin = outcome.series.front().problem.origin;
  const auto result = results::series_result(outcome);
  if (files.page != nullptr) files.page->write(report::series_page(result, origin));
  return {results::to_json(result), results::series_table(result, origin)};
}

Answer answer_quantiles(const QuantileOutcome& run, RunFiles& files) {
  const auto result = results::quantile_result(run.problem, run.panel, run.published);
  if (files.forecasts != nullptr) {
    files.forecasts->write(results::quantiles_csv(run.problem, run.published));
  }
  if (files.page != nullptr) {
    files.page->write(report::quantile_page(run.problem, run.published, result));
  }
  return {results::to_json(result), results::quantile_table(result, run.problem.origin)};
}

void run_command(RunOptions& options) {
  settle(options);
  RunFiles files(options);
  RunObservers observers(options, files);
  Table table = read_table(options.input, options.request);
  options.request.progress = progress_of("playing", options.quiet);
  const Outcome outcome = run(options.request, std::move(table));
  options.request.progress = {};
  if (outcome.nothing_new()) {
    say(fmt::format("{}: no row is new since {}; nothing was learned, nothing was written\n",
                    options.input.path, options.state.resume));
    return;
  }
  Answer answer;
  if (outcome.quantiles) {
    answer = answer_quantiles(*outcome.quantiles, files);
  } else {
    write_rows(files, outcome, options);
    answer = outcome.by.empty() ? answer_one(outcome, observers) : answer_many(outcome, files);
  }
  answer.json += "\n";
  if (files.results != nullptr) files.results->write(answer.json);
  if (files.state != nullptr) files.state->write(outcome.state.data(), outcome.state.size());
  files.set.commit();
  if (options.json) {
    put(answer.json);
    return;
  }
  say(answer.table);
  if (!options.report.empty()) say(fmt::format("page in {}\n", options.report));
}

}  // namespace

void add_run(CLI::App& app) {
  auto [command, options] = add_command(app, "run", "Combine the experts of a file", run_command);
  declare(command, *options);
}

}  // namespace pcgs::cli
