// pcgs run: combine the experts of a file and say how well that went.
#include "pcgs/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "combine/hindsight_methods.h"
#include "commands.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "proof/trace_file.h"
#include "run/checks.h"
#include "run/comparison.h"
#include "say.h"
#include "show/forecast_result.h"
#include "show/observers.h"
#include "show/report.h"
#include "show/result.h"
#include "show/run_result.h"

namespace pcgs::cli {

namespace {

// What pcgs run is asked to do.
struct RunOptions {
  TableFiles input;
  Request request;
  std::string methods;  // a list; empty: the default, or the one that is resumed
  LossOptions loss;
  SeasonOptions seasons;
  std::vector<std::size_t> levels;  // of intervals, in per cent; empty: not given
  std::string trace, certificate, out, report;
  StateOptions state;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
  bool quiet = false;

  bool has_forecasts() const { return !request.outcome.empty(); }
  std::string results_file() const { return out + "/results.json"; }
  std::string forecasts_file() const { return out + "/forecasts.csv"; }
  std::string intervals_file() const { return out + "/intervals.csv"; }
};

void declare_input(CLI::App& command, RunOptions& options) {
  add_text(command, "INPUT", options.input.path,
           "Losses, one row per round and one column per expert: .csv with a header, or .npy of "
           "float32 or float64; - for standard input; gzipped or not. With --y: forecasts")
      ->required();
  add_text(
      command, "--y", options.request.outcome,
      "The column that the other columns forecast. A row without an outcome is forecast and not "
      "learned; an empty or NaN forecast means that the expert sleeps that round");
  add_time(command, options.request.time);
  CLI::Option* by =
      add_names(command, "--by", options.request.series,
                "Columns that tell several series apart, each of which is combined on its own");
  add_number(command, "--threads", options.threads, 1, 1024,
             "Threads that share out the series of --by; no result depends on it")
      ->default_str("all cores");
  add_text(
      command, "--expert-column", options.request.model_column,
      "Long format: one row for each expert and time, with the name of the expert in this column");
  add_names(command, "--experts", options.request.models,
            "Columns to combine (default: all others)");
  add_names(command, "--ignore", options.request.ignore, "Columns to leave out");
  CLI::Option* side = add_names(command, "--side", options.request.side,
                                "Columns of side information for controllers");
  add_text(command, "--side-file", options.input.side,
           "Side information in a file of its own, one row per round (.csv or .npy)")
      ->excludes(side)
      ->excludes(by);
  add_number_signs(command, options.input.decimal, options.input.thousands);
}

void declare_task(CLI::App& command, RunOptions& options) {
  add_text(command, "--method", options.methods,
           "Methods, comma-separated: NAME or NAME{option=value,...}; all for every one; pcgs "
           "methods lists them and names the default");
  add_model(command, options.request.model_file);
  add_switches(command, options.request.switches)->default_str("5,10,20 for losses");
  add_switch_cost(command, options.request.switch_cost,
                  "Regret where every switch of the best sequence costs this much, and weights pay "
                  "as much for moving from one expert to another, in units of losses in [0, 1]");
  add_loss_options(command, options.loss, {"squared", "absolute", "pinball", "log"},
                   "the default with --y; without it losses must be in [0, 1]");
  add_season(command, options.seasons)->expected(1, 2);
  add_number(command, "--block", options.request.block, 1, 1000000,
             "Rounds that are forecast together, before the outcome of any of them is known: "
             "24 for day-ahead work on hours (default 1)");
  add_number(command, "--delay", options.request.delay, 0, 1000000,
             "Rounds by which every outcome comes late (default 0)");
  add_numbers(command, "--intervals", options.levels, 1, 99,
              "Levels, in per cent, of the intervals around the forecasts of the last method "
              "(default 80,95; none for log loss)");
}

void declare_outputs(CLI::App& command, RunOptions& options) {
  add_text(command, "--out", options.out,
           "Folder for results.json and, with --y, forecasts.csv and intervals.csv");
  add_report_option(command, options.report);
  add_state_options(command, options.state);
  add_names(command, "--drop", options.request.drop,
            "With --resume or --state: experts of the state that leave for good. One that is only "
            "missing from the file sleeps, and one that is new there is taken in");
  add_text(command, "--trace", options.trace,
           "Write every round (weights, losses, controls) to this CSV file");
  add_text(
      command, "--certificate", options.certificate,
      "Write what is proved about blend and about methods of the share form to this JSON file; "
      "for the latter pcgs certify proves it again from --trace");
  add_printing(command, options.json, options.quiet, " of the tables");
}

void declare_quantiles(CLI::App& command, RunOptions& options) {
  add_text(command, "--quantiles", options.request.quantiles,
           "Forecasts are distributions: the columns that hold their quantiles, with * for the "
           "level, such as 'q*' for q0.1, q0.5, q0.9. With --y, --time, --expert-column and, for "
           "several series, --by, which then learn from each other");
  add_text(command, "--known", options.request.known,
           "With --quantiles: the column that says when the outcome is known. It is learned before "
           "the first --time that is later; without it, before the next one");
  add_text(command, "--y-file", options.input.outcomes,
           "With --quantiles: the outcomes are in this file, in rows with the same texts in the "
           "columns that both files have");
  command
      .add_option_function<std::string>(
          "--transform",
          [&options](const std::string&) { options.request.transform = QuantileScale::kLog1p; },
          "With --quantiles: combine and score on another scale; log1p is ln(1 + x), for counts")
      ->check(CLI::IsMember({"log1p"}))
      ->type_name("TEXT");
  command.add_flag_callback(
      "--no-calibration", [&options] { options.request.calibrate = false; },
      "With --quantiles: publish what is combined, and do not stretch its central "
      "intervals until they hold the share of outcomes that they say");
}

void declare(CLI::App& command, RunOptions& options) {
  declare_input(command, options);
  declare_task(command, options);
  declare_outputs(command, options);
  declare_quantiles(command, options);
  command.footer(
      "With --y the answer comes first: how large the error of the combination was beside every\n"
      "model's, the next forecast if the last rows have no outcome yet, and the weights now.\n\n"
      "Examples:\n"
      "  pcgs run forecasts.csv --y load --time ds --season 24,168 --out results --report "
      "page.html\n"
      "  pcgs run today.csv --y load --time ds --state state --out today      # every hour\n"
      "  pcgs run prices.csv --y price --season 24,168 --block 24             # day-ahead\n"
      "  pcgs run stores.csv.gz --y sold --time day --by store,item --out results\n"
      "  pcgs run hub.csv --y cases --time week --by state --expert-column model\n"
      "  pcgs run hub.csv --y cases --time week --by state --expert-column model --quantiles 'q*'\n"
      "  pcgs run losses.npy --method all\n"
      "  pcgs run losses.csv --method 'fixed-share{eta=8,rho=0.003},ml-poly' --switches 0,10\n"
      "  pcgs run losses.csv --method fixed-share --trace t.csv --certificate c.json");
}

// All but the states.
NamedFiles files_of(const RunOptions& options) {
  NamedFiles files{
      {options.trace, options.certificate, options.report},
      {options.input.path, options.input.side, options.input.outcomes, options.request.model_file}};
  if (!options.out.empty()) {
    files.outputs.insert(files.outputs.end(), {options.results_file(), options.forecasts_file(),
                                               options.intervals_file()});
  }
  return files;
}

// What follows from the options: the request, with the state that is resumed, but for who watches.
// Throws Error where they contradict each other.
void settle(RunOptions& options) {
  settle(options.state, files_of(options), options.quiet);
  Request& request = options.request;
  if (!options.methods.empty()) request.methods = split_specs(options.methods);
  if (options.seasons.given) request.season = options.seasons.rounds;
  if (options.loss.given || options.loss.tau > 0) request.loss = chosen_task(options.loss);
  request.scale = options.loss.scale;
  if (!options.levels.empty()) {
    request.intervals.emplace();
    for (const std::size_t level : options.levels) {
      request.intervals->push_back(static_cast<double>(level) / 100);
    }
  }
  request.skip_learned = options.state.skip_learned;
  request.save = !options.state.save.empty();
  if (!options.state.resume.empty()) {
    request.state = read_whole_file(options.state.resume);
    request.state_name = options.state.resume;
  }
  request.certify_forecasts = !options.certificate.empty();
  request.threads = options.threads;
  request.tell = notes(options.quiet);
}

// What --out, --trace, --save, --certificate and --report ask for; none where it is not asked for.
struct RunFiles {
  explicit RunFiles(const RunOptions& options) {
    const auto add = [&](const std::string& path) {
      return path.empty() ? nullptr : &set.add(path);
    };
    if (!options.out.empty()) {
      set.add_folder(options.out);
      results = add(options.results_file());
      if (options.has_forecasts()) forecasts = add(options.forecasts_file());
    }
    trace = add(options.trace);
    certificate = add(options.certificate);
    state = add(options.state.save);
    page = add_page(set, options.report);
  }

  OutputSet set;
  WholeFile *results = nullptr, *forecasts = nullptr, *trace = nullptr, *certificate = nullptr,
            *state = nullptr, *page = nullptr;
};

// Before the work, not after it.
void check_certified(const RunOptions& options) {
  const auto methods = compare::names_from({options.request.methods, "", options.has_forecasts()});
  const auto any = [&](bool MethodTraits::*trait) {
    return std::ranges::any_of(methods, [&](const std::string& name) {
      return is_playable(name) && method_info(name).traits.*trait;
    });
  };
  const bool replayed = any(&MethodTraits::share_form);
  if (!replayed && !any(&MethodTraits::certifies_forecasts)) {
    throw Error(ErrorKind::kRequest, {.field = "certificate"},
                fmt::format("{} carries no certificate that can be written (that of guard is shown "
                            "by --json); give {} one of {}, or blend for forecasts",
                            fmt::join(methods, ","), option("methods"), share_form_names()));
  }
  if (replayed && options.trace.empty()) {
    throw Error(ErrorKind::kRequest, {.field = "certificate"},
                "--certificate goes with --trace, which it is proved from; give --trace FILE");
  }
}

// Who watches a run on one series: the trace, the certificate and the page.
class RunObservers {
 public:
  // Asks the request for what they need. Throws Error for a certificate that cannot be.
  RunObservers(RunOptions& options, RunFiles& files) : files_(files) {
    Request& request = options.request;
    switches_ = request.switches;
    if (switches_.empty()) {
      switches_.assign(compare::kUsualSwitches.begin(), compare::kUsualSwitches.end());
    }
    if (files.trace != nullptr) request.observers.push_back(&trace_.emplace(*files.trace));
    if (!options.certificate.empty()) {
      if (request.quantiles.empty()) check_certified(options);
      request.observers.push_back(&records_.emplace());
    }
    const bool one = request.series.empty() && request.quantiles.empty();
    if (options.report.empty() || !one) return;
    request.observers.push_back(&depth_.emplace());
    request.switches = switches_;  // which the page has a part about
    const auto methods = compare::names_from({request.methods, "", options.has_forecasts()});
    request.stretches = report::stretches_for(methods.size());
  }

  // After the run: the certificate and the page. Returns what is proved, in sentences.
  std::string write(const SeriesOutcome& run, const results::RunResult& result) {
    std::string proved;
    if (files_.certificate != nullptr) {
      const auto certificate = records_->certificate(switches_);
      files_.certificate->write(to_json(certificate, 1) + "\n");
      proved = results::sentences(certificate);
    }
    if (files_.page != nullptr) {
      files_.page->write(report::run_page(run.problem, run.comparison, result, depth_->take()));
    }
    return proved;
  }

 private:
  RunFiles& files_;
  std::vector<std::size_t> switches_;
  std::optional<results::TraceObserver> trace_;
  std::optional<results::RecordObserver> records_;
  std::optional<report::DepthObserver> depth_;
};

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
