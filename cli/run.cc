// pcgs run: combine the experts of a file and say how well that went.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "compare/comparison.h"
#include "core/whole_file.h"
#include "given.h"
#include "io/csv_field.h"
#include "io/json_text.h"
#include "io/number_table.h"
#include "io/progress.h"
#include "io/trace_file.h"
#include "loss_options.h"
#include "methods/hindsight.h"
#include "outputs.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "report/replay.h"
#include "report/report.h"
#include "report_file.h"
#include "results/certificate_file.h"
#include "results/result.h"

namespace pcgs::cli {

using compare::Comparison;
using compare::Problem;
using results::NamedRecord;

namespace {

struct RunOptions {
  std::string input;
  std::string methods;  // empty: the default, or the one that is resumed
  std::string model;    // weights of pcgs-tf, also inside guard; empty: the shipped ones
  std::string y;
  LossOptions judged;
  std::vector<std::string> experts, ignore, side;
  std::string side_file;
  std::vector<std::size_t> switches = {5, 10, 20};
  std::string trace, certificate, out, save, resume, report;
  bool json = false;
  bool quiet = false;
};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// [T x M], a row for every round.
Matrix side_in(const std::string& path, const Problem& problem) {
  io::NumberTable table = io::read_table(path);
  if (table.values.rows != problem.rounds()) {
    throw Error(
        fmt::format("{}: has {} rows, and {} has {}; give a row of side information for "
                    "every round",
                    path, table.values.rows, problem.origin, problem.rounds()));
  }
  return std::move(table.values);
}

// A resumed run is judged as it was before.
Problem read_problem(const RunOptions& options, const Aggregator* resumed) {
  io::TableRequest request;
  request.ignore = options.ignore;
  const bool forecasts = !options.y.empty();
  std::vector<std::string> named = options.side;
  if (forecasts) {
    if (contains(named, options.y)) {
      throw Error(fmt::format(
          "{} is the outcome, which nobody knows when it is forecast; leave it out of --side",
          options.y));
    }
    named.push_back(options.y);
  }
  if (!options.experts.empty()) {
    request.keep = options.experts;
    request.keep.insert(request.keep.end(), named.begin(), named.end());
  }
  request.require = named;
  if (forecasts) {
    request.may_be_missing = [&](std::string_view name) { return !contains(named, name); };
  }
  const io::NumberTable table = io::read_table(options.input, request);

  Problem problem;
  problem.origin = options.input;
  std::vector<std::size_t> expert_columns;
  std::vector<std::size_t> side_columns;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (contains(named, table.names[c])) continue;
    problem.experts.push_back(table.names[c]);
    expert_columns.push_back(c);
  }
  if (problem.experts.empty()) {
    throw Error(fmt::format("{}: no column is left for the experts; give one column for each",
                            options.input));
  }
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(table.names.begin(), table.names.end(), name) -
                                    table.names.begin());
  };
  for (const auto& name : options.side) side_columns.push_back(column(name));

  problem.values = Matrix(table.values.rows, expert_columns.size());
  problem.side = Matrix(table.values.rows, side_columns.size());
  for (std::size_t t = 0; t < table.values.rows; ++t) {
    const auto from = table.values.row(t);
    for (std::size_t k = 0; k < expert_columns.size(); ++k) {
      problem.values.row(t)[k] = from[expert_columns[k]];
    }
    for (std::size_t i = 0; i < side_columns.size(); ++i) {
      problem.side.row(t)[i] = from[side_columns[i]];
    }
    if (forecasts) problem.outcomes.push_back(from[column(options.y)]);
  }
  if (!options.side_file.empty()) problem.side = side_in(options.side_file, problem);
  if (resumed != nullptr) {
    problem.task = resumed->task();
    problem.scale = resumed->scale();
  } else {
    problem.task = chosen_task(options.judged);
    problem.scale = chosen_scale(options.judged);
  }
  compare::check_values(problem, options.y);
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

std::string results_file(const RunOptions& options) { return options.out + "/results.json"; }
std::string forecasts_file(const RunOptions& options) { return options.out + "/forecasts.csv"; }

// Only a state may replace the one it continues.
void check_outputs(const RunOptions& options) {
  std::vector<std::string> outputs = {options.trace, options.certificate, options.save,
                                      options.report};
  if (!options.out.empty()) {
    outputs.insert(outputs.end(), {results_file(options), forecasts_file(options)});
  }
  std::vector<std::string> inputs = {options.input, options.side_file, options.model};
  std::error_code ignored;
  if (!std::filesystem::equivalent(options.resume, options.save, ignored)) {
    inputs.push_back(options.resume);
  }
  check_distinct(outputs, inputs);
}

// Before the work, not after it.
void check_certified(const std::vector<std::string>& methods) {
  const auto carries = [](const std::string& name) {
    return is_playable(name) && method_info(name).traits.share_form;
  };
  if (std::none_of(methods.begin(), methods.end(), carries)) {
    throw Error(fmt::format(
        "{} carries no certificate that can be replayed (that of guard is shown by --json); give "
        "--method pcgs-tf, hedge, fixed-share, genshare or past-posteriors",
        fmt::join(methods, ",")));
  }
}

// Passes a method's rounds on to the trace, and keeps those of the share form for the certificate.
class CertifyingSink final : public TraceSink {
 public:
  CertifyingSink(std::string name, std::unique_ptr<TraceSink> next,
                 std::vector<NamedRecord>& records)
      : name_(std::move(name)), next_(std::move(next)), records_(records) {}

  void record(const TraceRow& row) override {
    next_->record(row);
    if (row.step == nullptr) return;
    if (!started_) records_.emplace_back(name_, ShareRecord(row.played.size()));
    started_ = true;
    records_.back().second.add(row);
  }

 private:
  std::string name_;
  std::unique_ptr<TraceSink> next_;
  std::vector<NamedRecord>& records_;
  bool started_ = false;
};

// A resumed run is looked at once more from where it began.
std::string report_page(const RunOptions& options, const Problem& problem,
                        const Comparison& comparison) {
  if (options.resume.empty()) return report::run_page(problem, comparison);
  return report::run_page(problem, comparison,
                          [&](const std::string&) { return load_aggregator(options.resume); });
}

void run(const RunOptions& options) {
  std::unique_ptr<Aggregator> aggregator;  // of a run that is resumed or saved
  if (!options.resume.empty()) {
    aggregator = std::make_unique<Aggregator>(load_aggregator(options.resume));
  }
  const Problem problem = read_problem(options, aggregator.get());
  compare::ComparisonOptions compared;
  compared.switches = options.switches;
  if (aggregator) {
    check_resumed(options, problem, *aggregator);
    compared.methods = {options.methods.empty() ? aggregator->method().name() : options.methods};
  } else {
    compared.methods = compare::methods_from(options.methods, options.model);
    compare::check_methods(compared.methods, problem.experts.size(), problem.side.columns);
  }
  if (!options.save.empty() && !aggregator) {
    if (compared.methods.size() != 1 || !is_playable(compared.methods.front())) {
      throw Error("--save goes with one method that can be played; give it with --method NAME");
    }
    const std::string& method = compared.methods.front();
    const bool certify = make_method(method, problem.experts.size())->share() != nullptr;
    aggregator = std::make_unique<Aggregator>(compare::make_player(problem, method, certify));
  }
  check_outputs(options);
  if (!options.certificate.empty()) check_certified(compared.methods);

  // Every output is opened before the work and appears, whole, after it.
  if (!options.out.empty()) {
    std::error_code failed;  // then the files cannot be written either, and say so
    std::filesystem::create_directories(options.out, failed);
  }
  std::unique_ptr<TraceFile> trace;
  if (!options.trace.empty()) {
    trace = std::make_unique<TraceFile>(options.trace, problem.experts);
    compared.sink = [&](const std::string& name) { return trace->sink(name); };
  }
  std::vector<NamedRecord> records;
  std::unique_ptr<WholeFile> certificate;
  if (!options.certificate.empty()) {
    certificate = std::make_unique<WholeFile>(options.certificate);
    compared.sink = [&](const std::string& name) -> std::unique_ptr<TraceSink> {
      return std::make_unique<CertifyingSink>(name, trace->sink(name), records);
    };
  }
  std::unique_ptr<WholeFile> results, forecasts, state;
  if (!options.out.empty()) {
    results = std::make_unique<WholeFile>(results_file(options));
    if (problem.has_forecasts()) {
      forecasts = std::make_unique<WholeFile>(forecasts_file(options));
    }
  }
  if (!options.save.empty()) state = std::make_unique<WholeFile>(options.save);
  ReportFile page(options.report);

  compared.advance = io::progress_bars(options.quiet)("playing", rounds_to_play(problem, compared));
  const Comparison comparison =
      aggregator ? play_from(problem, compared, *aggregator) : play_methods(problem, compared);
  compared.advance = {};
  if (state) {
    const auto bytes = aggregator->save_bytes();
    state->write(bytes.data(), bytes.size());
  }
  if (certificate) {
    certificate->write(io::json_text(results::certificate_json(records, options.switches), 1) +
                       "\n");
  }
  const auto as_json = [&] {
    return results::to_json(results::run_result(problem, comparison)) + "\n";
  };
  if (results) results->write(as_json());
  if (forecasts) forecasts->write(forecasts_csv(problem, comparison));
  const std::string made = page ? report_page(options, problem, comparison) : "";
  if (trace) trace->commit();
  for (const auto* file : {&certificate, &results, &forecasts, &state}) {
    if (*file) (*file)->commit();
  }
  if (page) page.write(made);
  fmt::print("{}", options.json ? as_json() : compare::comparison_table(problem, comparison));
  if (page && !options.json) fmt::print("page in {}\n", options.report);
}

}  // namespace

void add_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Combine the experts of a file");
  const auto text = [&](const char* name, std::string& value, const char* meaning) {
    return command->add_option(name, value, meaning)->check(given())->type_name("TEXT");
  };
  const auto columns = [&](const char* name, std::vector<std::string>& value, const char* meaning) {
    return command->add_option(name, value, meaning)
        ->delimiter(',')
        ->check(given())
        ->type_name("NAMES");
  };
  text(
      "INPUT", options->input,
      "Losses, one row per round and one column per expert: .csv with a header, or .npy of float32 "
      "or float64. With --y: forecasts")
      ->required();
  text("--method", options->methods,
       "Methods, comma-separated: NAME or NAME{option=value,...}; all for every one; pcgs methods "
       "lists them and names the default");
  CLI::Option* model = text("--model", options->model,
                            "Weights of pcgs-tf, also inside guard (.safetensors), instead of the "
                            "shipped ones");
  command
      ->add_option("--switches", options->switches,
                   "Switch budgets of the oracle that regret is measured against, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(0, 1000000))
      ->type_name("NUMBERS")
      ->default_str("5,10,20");
  CLI::Option* y =
      text("--y", options->y,
           "The column that the other columns forecast; an empty or NaN forecast means "
           "that the expert sleeps that round");
  LossFlags judged =
      add_loss_options(*command, options->judged, {"squared", "absolute", "pinball", "log"},
                       "the default with --y; without it losses must be in [0, 1]");
  judged.loss->needs(y);
  judged.tau->needs(y);
  columns("--experts", options->experts, "Columns to combine (default: all others)");
  columns("--ignore", options->ignore, "Columns to leave out, such as dates");
  CLI::Option* side =
      columns("--side", options->side, "Columns of side information for controllers");
  text("--side-file", options->side_file,
       "Side information in a file of its own, one row per round (.csv or .npy)")
      ->excludes(side);
  CLI::Option* trace = text("--trace", options->trace,
                            "Write every round (weights, losses, controls) to this CSV file");
  CLI::Option* certificate = text("--certificate", options->certificate,
                                  "Write what is proved about the methods of the share form to "
                                  "this JSON file; pcgs certify "
                                  "proves it again from the trace")
                                 ->needs(trace);
  text("--out", options->out, "Folder for results.json and, with --y, forecasts.csv");
  add_report_option(*command, options->report);
  text("--save", options->save, "Save the method's state at the end to this file");
  CLI::Option* resume = text("--resume", options->resume,
                             "Go on from a saved state, with its method, loss and scale");
  for (CLI::Option* fixed : {model, judged.loss, judged.tau, judged.scale, certificate}) {
    resume->excludes(fixed);
  }
  command->add_flag("--json", options->json, "Print one JSON object instead of the table");
  command->add_flag("--quiet", options->quiet, "No progress bar");
  command->footer(
      "Examples:\n"
      "  pcgs run losses.npy --method all\n"
      "  pcgs run losses.csv --method 'fixed-share{eta=8,rho=0.003},ml-poly' --switches 0,10\n"
      "  pcgs run forecasts.csv --y load --ignore date --loss absolute --out results\n"
      "  pcgs run losses.csv --method fixed-share --trace t.csv --certificate c.json\n"
      "  pcgs run january.csv --y load --save state && pcgs run february.csv --y load --resume "
      "state");
  command->callback([options] { run(*options); });
}

}  // namespace pcgs::cli
