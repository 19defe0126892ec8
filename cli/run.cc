// pcgs run: combine the experts of a file and say how well that went.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "compare/comparison.h"
#include "compare/method_list.h"
#include "compare/read_problem.h"
#include "core/whole_file.h"
#include "io/csv_field.h"
#include "io/progress.h"
#include "io/trace_file.h"
#include "loss_options.h"
#include "option_kinds.h"
#include "outputs.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "registry/hindsight.h"
#include "registry/share_forms.h"
#include "report/run_page.h"
#include "report_file.h"
#include "results/observers.h"
#include "results/result.h"
#include "results/run_table.h"

namespace pcgs::cli {

using compare::Comparison;
using compare::Problem;

namespace {

struct RunOptions {
  std::string input;
  std::string methods;  // empty: the default, or the one that is resumed
  std::string model;    // weights of pcgs-tf, also inside guard; empty: the shipped ones
  compare::ProblemColumns columns;
  LossOptions loss;
  std::vector<std::size_t> seasons;
  std::size_t block = 1, delay = 0;
  std::vector<std::size_t> levels = {80, 95};  // of intervals, in per cent
  std::vector<std::size_t> switches = {5, 10, 20};
  std::string trace, certificate, out, save, resume, report;
  bool json = false;
  bool quiet = false;
};

// A resumed run is judged as it was before.
Problem read_input(const RunOptions& options, const Aggregator* resumed) {
  Problem problem = compare::read_problem(options.input, options.columns);
  problem.task = resumed != nullptr ? resumed->task() : chosen_task(options.loss);
  problem.scale = resumed != nullptr ? resumed->scale() : chosen_scale(options.loss);
  problem.block = options.block;
  problem.delay = options.delay;
  compare::check_values(problem, options.columns.outcome);
  return problem;
}

std::string forecasts_csv(const Problem& problem, const Comparison& comparison) {
  std::string out = "round,outcome";
  for (const auto& method : comparison.methods) out += ',' + csv_field(method.name);
  out += '\n';
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    out += fmt::format("{},{}", t + 1, problem.outcomes[t]);
    for (const auto& method : comparison.methods) {
      const double f = method.forecasts[t];
      out += std::isnan(f) ? "," : fmt::format(",{}", f);
    }
    out += '\n';
  }
  return out;
}

// The intervals of the last method, the one that forecasts.csv has last.
std::string intervals_csv(const Problem& problem, const Comparison& comparison) {
  const compare::MethodResult& method = comparison.methods.back();
  std::string out = "round,outcome,forecast";
  for (const double level : method.intervals->levels) {
    out += fmt::format(",low_{0:g},high_{0:g}", 100 * level);
  }
  out += '\n';
  const auto number = [](double x) { return std::isnan(x) ? "," : fmt::format(",{}", x); };
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    out += fmt::format("{},{}", t + 1, problem.outcomes[t]) + number(method.forecasts[t]);
    for (std::size_t i = 0; i < method.intervals->levels.size(); ++i) {
      out += number(method.intervals->low.row(t)[i]) + number(method.intervals->high.row(t)[i]);
    }
    out += '\n';
  }
  return out;
}

// None for losses, and none for probabilities of what is 0 or 1.
std::optional<IntervalOptions> chosen_intervals(const RunOptions& options, const Problem& problem) {
  if (!problem.has_forecasts() || problem.task.kind() == TaskLoss::Kind::kLog) return {};
  IntervalOptions intervals;
  intervals.levels.clear();
  for (const std::size_t level : options.levels) {
    intervals.levels.push_back(static_cast<double>(level) / 100);
  }
  std::sort(intervals.levels.begin(), intervals.levels.end());
  const auto twice = std::adjacent_find(intervals.levels.begin(), intervals.levels.end());
  if (twice != intervals.levels.end()) {
    throw Error(fmt::format("--intervals has {:g} twice; give each level once", 100 * *twice));
  }
  intervals.season = options.seasons.empty() ? 0 : options.seasons.front();
  return intervals;
}

// A state goes on with the method and the experts that it was saved with.
void check_resumed(const RunOptions& options, const Problem& problem, const Aggregator& resumed) {
  if (resumed.experts() != problem.experts.size()) {
    throw Error(fmt::format("{}: was saved for {} experts, but {} has {}; give the same experts",
                            options.resume, resumed.experts(), options.input,
                            problem.experts.size()));
  }
  for (std::size_t k = 0; k < resumed.names().size(); ++k) {
    if (resumed.names()[k] == problem.experts[k]) continue;
    throw Error(
        fmt::format("{}: was saved with {} as expert {}, but {} has {} there; give the same "
                    "experts in the same order",
                    options.resume, resumed.names()[k], k + 1, options.input, problem.experts[k]));
  }
  if (!options.methods.empty() &&
      make_method(options.methods, resumed.experts())->name() != resumed.method().name()) {
    throw Error(fmt::format("{}: was saved by {}, not by {}; leave --method out to go on with it",
                            options.resume, resumed.method().name(), options.methods));
  }
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

std::string results_file(const RunOptions& options) { return options.out + "/results.json"; }
std::string forecasts_file(const RunOptions& options) { return options.out + "/forecasts.csv"; }
std::string intervals_file(const RunOptions& options) { return options.out + "/intervals.csv"; }

// Only a state may replace the one it continues.
void check_outputs(const RunOptions& options) {
  std::vector<std::string> outputs = {options.trace, options.certificate, options.save,
                                      options.report};
  if (!options.out.empty()) {
    outputs.insert(outputs.end(),
                   {results_file(options), forecasts_file(options), intervals_file(options)});
  }
  std::vector<std::string> inputs = {options.input, options.columns.side_file, options.model};
  std::error_code ignored;
  if (!std::filesystem::equivalent(options.resume, options.save, ignored)) {
    inputs.push_back(options.resume);
  }
  check_distinct(outputs, inputs);
}

// Everything that a run writes: opened before the work, and there, whole, after it.
class RunOutputs {
 public:
  RunOutputs(const RunOptions& options, const Problem& problem, std::size_t methods, bool intervals)
      : options_(options), records_(problem), page_(options.report) {
    if (!options.out.empty()) {
      std::error_code failed;  // then the files cannot be written either, and say so
      std::filesystem::create_directories(options.out, failed);
      results_.emplace(results_file(options));
      if (problem.has_forecasts()) forecasts_.emplace(forecasts_file(options));
      if (intervals) intervals_.emplace(intervals_file(options));
    }
    if (!options.trace.empty()) {
      trace_.emplace(options.trace, problem.experts);
      observers_.push_back(&traced_.emplace(*trace_));
    }
    if (!options.certificate.empty()) {
      certificate_.emplace(options.certificate);
      observers_.push_back(&records_);
    }
    if (!options.save.empty()) state_.emplace(options.save);
    if (page_) {
      observers_.push_back(&depth_.emplace(problem));
      stretches_ = report::stretches_for(methods);
    }
  }

  const std::vector<compare::Observer*>& observers() const { return observers_; }
  std::size_t stretches() const { return stretches_; }

  void write(const Problem& problem, const Comparison& comparison, const Aggregator* saved) {
    const auto result = results::run_result(problem, comparison);
    const std::string json = results::to_json(result) + "\n";
    if (state_) {
      const auto bytes = saved->save_bytes();
      state_->write(bytes.data(), bytes.size());
    }
    std::string proved;
    if (certificate_) {
      const auto certificate = records_.certificate(options_.switches);
      certificate_->write(to_json(certificate, 1) + "\n");
      proved = results::sentences(certificate);
    }
    if (results_) results_->write(json);
    if (forecasts_) forecasts_->write(forecasts_csv(problem, comparison));
    if (intervals_) intervals_->write(intervals_csv(problem, comparison));
    const std::string page = page_ ? report::run_page(problem, comparison, depth_->take()) : "";
    if (trace_) trace_->commit();
    for (auto* file : {&certificate_, &results_, &forecasts_, &intervals_, &state_}) {
      if (*file) (*file)->commit();
    }
    if (page_) page_.write(page);
    fmt::print("{}", options_.json
                         ? json
                         : results::run_table(result, problem.origin, problem.task.name()));
    if (!options_.json) fmt::print("{}", proved);
    if (page_ && !options_.json) fmt::print("page in {}\n", options_.report);
  }

 private:
  const RunOptions& options_;
  std::optional<TraceFile> trace_;
  std::optional<results::TraceObserver> traced_;
  results::RecordObserver records_;
  std::optional<report::DepthObserver> depth_;
  std::optional<WholeFile> certificate_, results_, forecasts_, intervals_, state_;
  ReportFile page_;
  std::vector<compare::Observer*> observers_;
  std::size_t stretches_ = 0;
};

// The aggregator of a run that is saved.
Aggregator make_saved(const Problem& problem, const compare::ComparisonOptions& compared) {
  const auto& methods = compared.methods;
  if (methods.size() != 1 || !is_playable(methods.front())) {
    throw Error("--save goes with one method that can be played; give it with --method NAME");
  }
  const std::string& method = methods.front();
  const MethodTraits& traits = method_info(method).traits;
  return compare::make_player(
      problem, method,
      traits.share_form || (compared.certify_forecasts && traits.certifies_forecasts),
      compared.intervals);
}

void run(const RunOptions& options) {
  std::optional<Aggregator> aggregator;  // of a run that is resumed or saved
  if (!options.resume.empty()) aggregator = load_aggregator(options.resume);
  const Problem problem = read_input(options, aggregator ? &*aggregator : nullptr);
  compare::ComparisonOptions compared;
  compared.switches = options.switches;
  if (aggregator) {
    check_resumed(options, problem, *aggregator);
    compared.intervals = aggregator->interval_options();
    compared.methods = {options.methods.empty() ? aggregator->method().name() : options.methods};
  } else {
    compared.methods = compare::methods_from(
        {options.methods, options.model, problem.has_forecasts(), options.seasons});
    compare::check_methods(compared.methods,
                           {problem.experts.size(), problem.side.columns, problem.has_forecasts()});
    if (is_playable(compared.methods.back())) {
      compared.intervals = chosen_intervals(options, problem);
    }
  }
  compared.certify_forecasts = !options.certificate.empty();
  if (!options.save.empty() && !aggregator) aggregator = make_saved(problem, compared);
  if (!options.certificate.empty()) check_certified(compared.methods, options.trace);

  check_outputs(options);
  const bool intervals = problem.has_forecasts() && compared.intervals.has_value();
  RunOutputs outputs(options, problem, compared.methods.size(), intervals);
  compared.observers = outputs.observers();
  compared.stretches = outputs.stretches();
  compared.advance = io::progress_bars(options.quiet)("playing", rounds_to_play(problem, compared));
  const Comparison comparison =
      play_methods(problem, compared, aggregator ? &*aggregator : nullptr);
  compared.advance = {};
  outputs.write(problem, comparison, aggregator ? &*aggregator : nullptr);
}

}  // namespace

void add_run(CLI::App& app) {
  auto [command, options] = add_command(app, "run", "Combine the experts of a file", run);
  add_text(command, "INPUT", options->input,
           "Losses, one row per round and one column per expert: .csv with a header, or .npy of "
           "float32 or float64. With --y: forecasts")
      ->required();
  add_text(command, "--method", options->methods,
           "Methods, comma-separated: NAME or NAME{option=value,...}; all for every one; pcgs "
           "methods lists them and names the default");
  CLI::Option* model = add_model(command, options->model);
  add_switches(command, options->switches);
  CLI::Option* y = add_text(command, "--y", options->columns.outcome,
                            "The column that the other columns forecast; an empty or NaN forecast "
                            "means that the expert sleeps that round");
  LossFlags loss =
      add_loss_options(command, options->loss, {"squared", "absolute", "pinball", "log"},
                       "the default with --y; without it losses must be in [0, 1]");
  loss.loss->needs(y);
  loss.tau->needs(y);
  CLI::Option* season =
      add_numbers(command, "--season", options->seasons, 2, 262144,
                  "Rounds in a season and in a longer one, whose phases matter: 24,168 for hours "
                  "with days and weeks (default: no season)")
          ->expected(1, 2);
  CLI::Option* block =
      add_number(command, "--block", options->block, 1, 1000000,
                 "Rounds that are forecast together, before the outcome of any of them is known: "
                 "24 for day-ahead work on hours (default 1)");
  CLI::Option* delay = add_number(command, "--delay", options->delay, 0, 1000000,
                                  "Rounds by which every outcome comes late (default 0)");
  CLI::Option* intervals =
      add_numbers(command, "--intervals", options->levels, 1, 99,
                  "Levels, in per cent, of the intervals around the forecasts of the last method "
                  "(default 80,95; none for log loss)");
  for (CLI::Option* with_outcomes : {season, block, delay, intervals}) with_outcomes->needs(y);
  add_names(command, "--experts", options->columns.experts,
            "Columns to combine (default: all others)");
  add_names(command, "--ignore", options->columns.ignore, "Columns to leave out, such as dates");
  CLI::Option* side = add_names(command, "--side", options->columns.side,
                                "Columns of side information for controllers");
  add_text(command, "--side-file", options->columns.side_file,
           "Side information in a file of its own, one row per round (.csv or .npy)")
      ->excludes(side);
  add_text(command, "--trace", options->trace,
           "Write every round (weights, losses, controls) to this CSV file");
  CLI::Option* certificate =
      add_text(command, "--certificate", options->certificate,
               "Write what is proved about blend and about methods of the share form to this JSON "
               "file; for the latter pcgs certify proves it again from --trace");
  add_text(command, "--out", options->out,
           "Folder for results.json and, with --y, forecasts.csv and intervals.csv");
  add_report_option(command, options->report);
  add_text(command, "--save", options->save, "Save the method's state at the end to this file");
  CLI::Option* resume = add_text(command, "--resume", options->resume,
                                 "Go on from a saved state, with its method, loss and scale");
  for (CLI::Option* fixed :
       {model, loss.loss, loss.tau, loss.scale, season, intervals, certificate}) {
    resume->excludes(fixed);
  }
  add_printing(command, options->json, options->quiet, " of the table");
  command.footer(
      "Examples:\n"
      "  pcgs run losses.npy --method all\n"
      "  pcgs run losses.csv --method 'fixed-share{eta=8,rho=0.003},ml-poly' --switches 0,10\n"
      "  pcgs run forecasts.csv --y load --ignore date --loss absolute --out results\n"
      "  pcgs run prices.csv --y price --season 24,168 --block 24\n"
      "  pcgs run losses.csv --method fixed-share --trace t.csv --certificate c.json\n"
      "  pcgs run january.csv --y load --save state && pcgs run february.csv --y load --resume "
      "state");
}

}  // namespace pcgs::cli
