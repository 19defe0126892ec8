// pcgs electricity: the household benchmark, on the UCI file as published or on any other series.
#include "research/electricity.h"

#include <fmt/format.h>

#include <map>

#include "commands.h"
#include "data/npy.h"
#include "data/output_files.h"
#include "pcgs/registry.h"
#include "run/checks.h"
#include "run/comparison.h"
#include "say.h"
#include "show/report.h"
#include "show/result.h"

namespace pcgs::cli {

namespace {

struct ElectricityOptions {
  studies::SeriesSource source;
  std::string pool, methods, model, losses, report;
  std::size_t window = 1440;  // 0: no regression over a window
  studies::SplitOptions split;
  std::vector<std::size_t> switches = {5, 10, 20};
  bool json = false;
  bool quiet = false;
};

std::vector<std::string> played_methods(const ElectricityOptions& options) {
  std::vector<std::string> methods = {"hedge", "fixed-share", "genshare",       "ml-poly",
                                      "boa",   "guard",       "pcgs-tf:oracle", "pcgs-tf"};
  if (!options.methods.empty()) methods = compare::methods_from({split_specs(options.methods)});
  if (!options.model.empty()) methods.push_back(with_model("pcgs-tf", options.model));
  return methods;
}

std::string training_file(const std::string& folder) { return folder + "/train.npy"; }
std::string test_file(const std::string& folder) { return folder + "/test.npy"; }

NamedFiles files_of(const ElectricityOptions& options) {
  NamedFiles files{{options.report}, {options.source.path, options.pool, options.model}};
  if (!options.losses.empty()) {
    files.outputs.insert(files.outputs.end(),
                         {training_file(options.losses), test_file(options.losses)});
  }
  return files;
}

void write(WholeFile& file, const Matrix& matrix) {
  const auto bytes = io::npy_bytes(matrix);
  file.write(bytes.data(), bytes.size());
}

void run_electricity(const ElectricityOptions& options) {
  finish_earlier(files_of(options), options.quiet);
  check_distinct(files_of(options));
  const io::Monitor monitor = io::progress_bars(options.quiet);
  const auto observations = studies::read_observations(options.source);
  const auto losses = studies::split_losses(
      observations.values,
      options.pool.empty() ? studies::benchmark_pool(observations.seasons, options.window)
                           : ExpertPool(read_experts(options.pool)),
      options.split, options.source.path);
  const std::vector<std::string> methods = played_methods(options);
  compare::check_methods(methods, {losses.test.experts.size()});
  OutputSet outputs;
  if (!options.losses.empty()) {
    // The two parts, as files that pcgs-train and pcgs run read.
    outputs.add_folder(options.losses);
    write(outputs.add(training_file(options.losses)), losses.training.values);
    write(outputs.add(test_file(options.losses)), losses.test.values);
  }
  WholeFile* const page = add_page(outputs, options.report);
  report::DepthObserver depth;
  compare::ComparisonOptions compared;
  compared.methods = methods;
  compared.switches = options.switches;
  if (page != nullptr) {
    compared.observers = {&depth};
    compared.stretches = report::stretches_for(methods.size() + 4);
  }
  const auto comparison = studies::play_benchmark(losses, std::move(compared), monitor);
  const auto result = studies::electricity_result(observations, losses, comparison);
  if (page != nullptr) {
    report::Material material;
    material.results.push_back({options.source.path, result, depth.take()});
    page->write(report::page(material));
  }
  outputs.commit();
  if (options.json) {
    put(results::to_json(result) + "\n");
    return;
  }
  say(studies::electricity_table(result, observations.description));
  if (!options.report.empty()) say(fmt::format("page in {}\n", options.report));
}

}  // namespace

void add_electricity(CLI::App& app) {
  auto [command, options] =
      add_command(app, "electricity",
                  "The household benchmark, on the UCI file or any other series", run_electricity);
  constexpr std::size_t kMany = 1000000000;
  add_text(command, "FILE", options->source.path,
           "household_power_consumption.txt as published (UCI dataset 235), or a .csv with a "
           "header, or .npy")
      ->required();
  add_text(command, "--column", options->source.column,
           "The series (Global_active_power in the household file)");
  add_number(command, "--minutes", options->source.minutes, 1, kMany,
             "Resolution of the household file (10)");
  CLI::Option* season =
      add_numbers(command, "--season", options->source.seasons, 2, 262144,
                  "Observations in each season, the shortest first (a day and a week in the "
                  "household file, none in others)");
  CLI::Option* window =
      add_number(command, "--window", options->window, 0, kMany,
                 "Observations that the regression over a rolling window sees; 0 for none")
          ->capture_default_str();
  add_text(command, "--pool", options->pool,
           "JSON file that describes the experts (docs/experts.md)")
      ->excludes(season)
      ->excludes(window);
  add_number(command, "--observations", options->split.observations, 1, kMany,
             "The last so many are used")
      ->capture_default_str();
  add_number(command, "--burn-in", options->split.burn_in, 0, kMany,
             "The first observations, not judged; more where an expert needs longer to begin")
      ->capture_default_str();
  command.add_option("--training", options->split.training, "Share of the training part")
      ->check(CLI::Range(0.01, 0.99))
      ->type_name("NUMBER")
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--bound",
          [bound = &options->split.bound](const std::string& name) {
            *bound = name == "catoni" ? LossBound::kCatoni : LossBound::kClip;
          },
          "How losses beyond the scale are bounded: clip, or catoni, which bends them")
      ->check(CLI::IsMember({"clip", "catoni"}));
  add_text(command, "--method", options->methods,
           "Methods instead of the usual ones; those tuned on the training part and in hindsight "
           "are always there");
  add_text(command, "--model", options->model,
           "Fine-tuned weights of pcgs-tf (.safetensors), as one more row");
  add_switches(command, options->switches);
  add_report_option(command, options->report);
  add_text(command, "--losses", options->losses,
           "Folder for train.npy and test.npy, the losses of the two parts; pcgs-train --losses "
           "fine-tunes on the first");
  add_printing(command, options->json, options->quiet, " of the table");
  command.footer(
      "Examples:\n"
      "  pcgs electricity household_power_consumption.txt\n"
      "  pcgs electricity household_power_consumption.txt --minutes 60 --losses losses\n"
      "  pcgs electricity tetouan.csv --column zone1_power --season 144,1008 --json");
}

}  // namespace pcgs::cli
