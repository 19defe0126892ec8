#include "run_options.h"

#include <fmt/format.h>

#include "data/whole_file.h"
#include "option_kinds.h"
#include "outputs.h"
#include "pcgs/registry.h"

namespace pcgs::cli {

namespace {

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
  add_number_signs(command, options.signs);
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
          "--transform", [&options](const std::string&) { options.log1p = true; },
          "With --quantiles: combine and score on another scale; log1p is ln(1 + x), for counts")
      ->check(CLI::IsMember({"log1p"}))
      ->type_name("TEXT");
  command.add_flag("--no-calibration", options.no_calibration,
                   "With --quantiles: publish what is combined, and do not stretch its central "
                   "intervals until they hold the share of outcomes that they say");
}

}  // namespace

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

namespace {

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

}  // namespace

void settle(RunOptions& options) {
  settle(options.state, files_of(options), options.quiet);
  const io::NumberFormat format = number_format(options.signs);
  options.input.decimal = format.decimal;
  options.input.thousands = format.thousands;
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
  request.calibrate = !options.no_calibration;
  if (options.log1p) request.transform = QuantileScale::kLog1p;
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

}  // namespace pcgs::cli
