// pcgs oracle: the exact best sequence of experts in hindsight, for some numbers of switches.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "commands.h"
#include "data/whole_file.h"
#include "pcgs/error.h"
#include "research/oracle_study.h"
#include "say.h"
#include "show/result.h"

namespace pcgs::cli {

namespace {

struct OracleOptions {
  std::string input;
  std::vector<std::size_t> switches = {0, 5, 10, 20};
  bool switches_given = false;
  std::optional<double> switch_cost;
  std::vector<std::string> ignore;
  std::string path;
  std::size_t memory = kOracleMemory >> 20;  // MiB
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  bool losses = false;  // they are, whatever they look like
  bool json = false;
  bool quiet = false;
};

void run_oracle(const OracleOptions& options) {
  const NamedFiles files{{options.path}, {options.input}};
  finish_earlier(files, options.quiet);
  check_distinct(files);
  const io::Monitor monitor = io::progress_bars(options.quiet);
  const studies::LossFile input = studies::open_losses(options.input, options.ignore);
  if (!options.losses && studies::looks_like_forecasts(*input.losses)) {
    throw Error(fmt::format(
        "{}: in nearly every row all columns hold much the same number beyond 1, as forecasts do "
        "and "
        "losses do not; pcgs run takes forecasts, with --y; if these are losses, give --losses",
        options.input));
  }
  // Opened before the work; appears, whole, after it.
  std::optional<WholeFile> file;
  if (!options.path.empty()) file.emplace(options.path);

  studies::PathLimits limits{options.switches, options.switch_cost};
  if (options.switch_cost && !options.switches_given) limits.switches.clear();
  const auto result = studies::sweep_oracle(*input.losses, limits, options.threads, monitor);
  if (file) {
    const SwitchingPath path =
        studies::find_path(*input.losses, limits, options.memory << 20, options.threads, monitor);
    if (path.experts.empty()) {
      throw Error(
          limits.most()
              ? fmt::format("{}: every path with at most {} switches meets an expert that sleeps, "
                            "so there is none to write; allow more with --switches",
                            options.input, *limits.most())
              : fmt::format("{}: in some round nobody is awake, so there is no path to write",
                            options.input));
    }
    studies::write_path(*file, path, input.experts);
    file->commit();
  }
  if (options.json) {
    put(results::to_json(result) + "\n");
  } else {
    say(studies::oracle_table(result, options.input));
  }
}

}  // namespace

void add_oracle(CLI::App& app) {
  auto [command, options] = add_command(
      app, "oracle", "Find the exact best sequence of experts in hindsight", run_oracle);
  add_text(command, "INPUT", options->input,
           "Losses, one row per round and one column per expert: .csv with a header, or "
           ".npy of float32 or float64 (mapped, so it may be larger than memory). Any "
           "finite numbers; an empty field or NaN means that the expert sleeps that round")
      ->required();
  add_numbers(command, "--switches", options->switches, 0, 1000000,
              "How often the sequence may change experts: one budget or several. Without it, with "
              "--switch-cost, as often as pays")
      ->capture_default_str()
      ->each([given = &options->switches_given](const std::string&) { *given = true; });
  add_switch_cost(command, options->switch_cost,
                  "What every switch costs, in the units of the losses (default 0)");
  add_text(command, "--path", options->path,
           "Write the best sequence for the largest budget to this CSV file: round, "
           "expert, switched; without --switches, with --switch-cost, the best of all");
  add_number(command, "--memory", options->memory, 1, 1 << 24,
             "MiB that finding the path may take beyond the losses; with less it takes longer")
      ->capture_default_str();
  add_number(command, "--threads", options->threads, 1, 1024, "Threads; the answer is the same")
      ->default_str("all cores");
  add_names(command, "--ignore", options->ignore, "Columns to leave out, such as dates");
  command.add_flag("--losses", options->losses,
                   "Take the numbers for losses even where they look like forecasts");
  add_printing(command, options->json, options->quiet, " of the table");
  command.footer(
      "Every value is exact: no sampling, no approximation. Among equally good sequences the one\n"
      "with the fewest switches is found.\n\n"
      "Examples:\n"
      "  pcgs oracle losses.npy --switches 0,5,10,20\n"
      "  pcgs oracle losses.csv --ignore date --switches 12 --path best.csv\n"
      "  pcgs oracle losses.csv --switch-cost 0.5 --path best.csv\n"
      "  pcgs oracle huge.npy --switches 50 --path best.csv --memory 1024 --json");
}

}  // namespace pcgs::cli
