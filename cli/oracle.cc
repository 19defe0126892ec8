// pcgs oracle: the exact best sequence of experts in hindsight, for some numbers of switches.
#include "pcgs/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "commands.h"
#include "core/whole_file.h"
#include "io/csv_field.h"
#include "io/npy_rows.h"
#include "io/number_table.h"
#include "io/progress.h"
#include "oracle/sweep.h"
#include "pcgs/error.h"

namespace pcgs::cli {

namespace {

using nlohmann::ordered_json;

struct OracleOptions {
  std::string input;
  std::vector<std::size_t> switches = {0, 5, 10, 20};
  std::vector<std::string> ignore;
  std::string path;
  std::size_t memory = kOracleMemory >> 20;  // MiB
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
  bool quiet = false;
};

struct Input {
  std::vector<std::string> names;  // [K]
  Matrix read;                     // of a CSV file; an NPY file is mapped
  std::unique_ptr<LossRows> losses;
};

// A missing value is an expert that sleeps.
Input open_input(const OracleOptions& options) {
  Input input;
  if (io::has_npy_name(options.input)) {
    auto mapped = std::make_unique<io::NpyRows>(options.input, options.ignore);
    input.names = mapped->names();
    input.losses = std::move(mapped);
    return input;
  }
  io::NumberTable table = io::read_table(
      options.input,
      {.ignore = options.ignore, .may_be_missing = [](std::string_view) { return true; }});
  input.names = std::move(table.names);
  input.read = std::move(table.values);
  for (double& loss : input.read.values) {
    if (std::isnan(loss)) loss = std::numeric_limits<double>::infinity();
  }
  input.losses = std::make_unique<oracle::MatrixRows>(input.read);
  return input;
}

// Rows that move a progress bar when they are read.
class WatchedRows final : public LossRows {
 public:
  WatchedRows(const LossRows& rows, std::string label, bool quiet)
      : rows_(rows), progress_(std::move(label), rows.rows(), quiet) {}
  std::size_t rows() const override { return rows_.rows(); }
  std::size_t columns() const override { return rows_.columns(); }
  void read(std::size_t first, std::size_t count, double* out, std::size_t stride) const override {
    rows_.read(first, count, out, stride);
    const std::lock_guard lock(mutex_);
    progress_.advance(count);
  }
  void read_column(std::size_t column, std::size_t first, std::size_t count,
                   double* out) const override {
    rows_.read_column(column, first, count, out);  // short work that shows no progress
  }

 private:
  const LossRows& rows_;
  mutable std::mutex mutex_;
  mutable io::ProgressBar progress_;
};

struct Budget {
  std::size_t switches = 0;  // allowed
  double value = 0;
  std::size_t used = 0;  // the fewest that attain the value
};

struct OracleResult {
  std::size_t rounds = 0, experts = 0;
  std::vector<Budget> budgets;  // as asked for
  double seconds = 0;           // of the sweep
  double states = 0;            // T K (S + 1), with S at most T - 1: the rest is not swept
};

OracleResult sweep(const OracleOptions& options, const LossRows& losses, std::size_t most) {
  OracleResult result;
  result.rounds = losses.rows();
  result.experts = losses.columns();
  const WatchedRows watched(losses, "oracle", options.quiet);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<double> frontier = switching_oracle(watched, most, options.threads);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  result.seconds = std::max(spent.count(), 1e-9);
  result.states = static_cast<double>(result.rounds) * static_cast<double>(result.experts) *
                  static_cast<double>(std::min(most, result.rounds - 1) + 1);
  for (const std::size_t s : options.switches) {
    // Values only fall, so the first that is as good is the fewest.
    const auto fewest = std::lower_bound(frontier.begin(), frontier.end(), frontier[s],
                                         [](double a, double b) { return a > b; });
    result.budgets.push_back({s, frontier[s], static_cast<std::size_t>(fewest - frontier.begin())});
  }
  return result;
}

std::string json(const OracleResult& result) {
  ordered_json out;
  out["kind"] = "oracle";
  out["rounds"] = result.rounds;
  out["experts"] = result.experts;
  out["values"] = ordered_json::object();
  out["switches_used"] = ordered_json::object();
  for (const Budget& budget : result.budgets) {
    const std::string key = std::to_string(budget.switches);
    // JSON has no infinity; where every path meets a sleeper there is no number.
    const bool exists = std::isfinite(budget.value);
    out["values"][key] = exists ? ordered_json(budget.value) : ordered_json(nullptr);
    out["switches_used"][key] = exists ? ordered_json(budget.used) : ordered_json(nullptr);
  }
  out["seconds"] = result.seconds;
  out["states_per_second"] = result.states / result.seconds;
  return out.dump() + "\n";
}

std::string table(const std::string& origin, const OracleResult& result) {
  std::string out =
      fmt::format("{}: {} rounds, {} experts\n\n", origin, result.rounds, result.experts);
  out += fmt::format("{:>8}  {:>8}  {:>16}  {:>12}\n", "switches", "used", "loss", "per round");
  for (const Budget& budget : result.budgets) {
    if (std::isfinite(budget.value)) {
      out += fmt::format("{:>8}  {:>8}  {:>16.6f}  {:>12.6f}\n", budget.switches, budget.used,
                         budget.value, budget.value / static_cast<double>(result.rounds));
    } else {
      out += fmt::format("{:>8}  {:>8}  {:>16}  {:>12}\n", budget.switches, "-", "none", "none");
    }
  }
  out += fmt::format("\n{:.3g} states in {:.3g} s: {:.3g} a second\n", result.states,
                     result.seconds, result.states / result.seconds);
  return out;
}

void write_path(WholeFile& file, const SwitchingPath& path, const std::vector<std::string>& names) {
  std::vector<std::string> fields;  // [K]
  fields.reserve(names.size());
  for (const auto& name : names) fields.push_back(csv_field(name));
  file.write("round,expert,switched\n");
  fmt::memory_buffer line;
  for (std::size_t t = 0; t < path.experts.size(); ++t) {
    const bool switched = t > 0 && path.experts[t] != path.experts[t - 1];
    line.clear();
    fmt::format_to(std::back_inserter(line), "{},{},{}\n", t + 1, fields[path.experts[t]],
                   switched ? 1 : 0);
    file.write(line.data(), line.size());
  }
}

void run_oracle(const OracleOptions& options) {
  const Input input = open_input(options);
  const std::size_t most = *std::max_element(options.switches.begin(), options.switches.end());
  // Opened before the work; appears, whole, after it.
  std::optional<WholeFile> file;
  if (!options.path.empty()) file.emplace(options.path);

  const OracleResult result = sweep(options, *input.losses, most);
  if (file) {
    const WatchedRows watched(*input.losses, "path", options.quiet);
    const SwitchingPath path = switching_path(watched, most, options.memory << 20, options.threads);
    if (path.experts.empty()) {
      throw Error(fmt::format(
          "{}: every path with at most {} switches meets an expert that sleeps, so there is none "
          "to write; allow more with --switches",
          options.input, most));
    }
    write_path(*file, path, input.names);
    file->commit();
  }
  fmt::print("{}", options.json ? json(result) : table(options.input, result));
}

}  // namespace

void add_oracle(CLI::App& app) {
  auto options = std::make_shared<OracleOptions>();
  CLI::App* command =
      app.add_subcommand("oracle", "Find the exact best sequence of experts in hindsight");
  command
      ->add_option("INPUT", options->input,
                   "Losses, one row per round and one column per expert: .csv with a header, or "
                   ".npy of float32 or float64 (mapped, so it may be larger than memory). Any "
                   "finite numbers; an empty field or NaN means that the expert sleeps that round")
      ->required();
  command
      ->add_option("--switches", options->switches,
                   "How often the sequence may change experts: one budget or several")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  command->add_option("--path", options->path,
                      "Write the best sequence for the largest budget to this CSV file: round, "
                      "expert, switched");
  command
      ->add_option(
          "--memory", options->memory,
          "MiB that finding the path may take beyond the losses; with less it takes longer")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  command->add_option("--threads", options->threads, "Threads; the answer is the same")
      ->check(CLI::Range(1, 1024))
      ->type_name("NUMBER")
      ->default_str("all cores");
  command->add_option("--ignore", options->ignore, "Columns to leave out, such as dates")
      ->delimiter(',');
  command->add_flag("--json", options->json, "Print one JSON object instead of the table");
  command->add_flag("--quiet", options->quiet, "No progress bar");
  command->footer(
      "Every value is exact: no sampling, no approximation. Among equally good sequences the one\n"
      "with the fewest switches is found.\n\n"
      "Examples:\n"
      "  pcgs oracle losses.npy --switches 0,5,10,20\n"
      "  pcgs oracle losses.csv --ignore date --switches 12 --path best.csv\n"
      "  pcgs oracle huge.npy --switches 50 --path best.csv --memory 1024 --json");
  command->callback([options] { run_oracle(*options); });
}

}  // namespace pcgs::cli
