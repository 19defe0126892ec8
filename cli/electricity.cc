// pcgs electricity: the household benchmark, on the UCI file as published or on any other series.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "compare/comparison.h"
#include "core/whole_file.h"
#include "electricity_study.h"
#include "given.h"
#include "io/household.h"
#include "io/json_text.h"
#include "io/mapped_file.h"
#include "io/npy.h"
#include "io/number_table.h"
#include "outputs.h"
#include "pcgs/error.h"
#include "progress.h"
#include "report/replay.h"
#include "report/report.h"
#include "report_file.h"

namespace pcgs::cli {

namespace {

constexpr std::size_t kMinutesPerDay = 1440;

struct ElectricityOptions {
  std::string input, column, pool, methods, model, losses, report;
  std::size_t minutes = 0;           // 0: not given
  std::vector<std::size_t> seasons;  // empty: not given
  std::size_t window = 1440;         // 0: no regression over a window
  SplitOptions split;
  std::vector<std::size_t> switches = {5, 10, 20};
  bool json = false;
  bool quiet = false;
};

struct Observations {
  std::vector<double> values;
  std::string column;
  std::string description;  // of what was read, for the table
  std::vector<std::size_t> seasons;
};

Observations read_household(const io::MappedFile& file, const ElectricityOptions& options) {
  io::HouseholdRequest request;
  if (!options.column.empty()) request.column = options.column;
  if (options.minutes > 0) request.minutes = options.minutes;
  Progress progress("reading", file.text().size(), options.quiet);
  request.progress = [&](std::size_t bytes) { progress.advance(bytes); };
  io::HouseholdSeries series = io::parse_household(file.text(), options.input, request);
  Observations out;
  out.values = std::move(series.values);
  out.column = request.column;
  out.description = fmt::format("{} rows, {} without a value, {} means over {} minutes",
                                series.rows, series.missing, out.values.size(), request.minutes);
  const std::size_t day = kMinutesPerDay / request.minutes;
  if (day >= 2) out.seasons = {day, 7 * day};
  return out;
}

Observations read_column(const ElectricityOptions& options) {
  if (options.minutes > 0) {
    throw Error(fmt::format(
        "{}: is not the household file, so it has no minutes; give --season instead of --minutes",
        options.input));
  }
  if (options.column.empty()) {
    throw Error(
        fmt::format("{}: is not the household file; name the series with --column", options.input));
  }
  io::TableRequest request;
  request.keep = {options.column};
  request.may_be_missing = [](std::string_view) { return true; };
  Observations out;
  out.values = io::read_table(options.input, request).values.values;
  const std::size_t rows = out.values.size();
  std::erase_if(out.values, [](double y) { return std::isnan(y); });
  out.column = options.column;
  out.description = fmt::format("{} rows, {} without a value", rows, rows - out.values.size());
  return out;
}

Observations read_observations(const ElectricityOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::exists(options.input, ignored)) {
    throw Error(fmt::format(
        "{}: is not there; the benchmark's file is household_power_consumption.txt of UCI dataset "
        "235, \"individual household electric power consumption\", and any CSV with --column does",
        options.input));
  }
  Observations out;
  if (io::has_npy_name(options.input)) {
    out = read_column(options);
  } else {
    const io::MappedFile file(options.input);
    out = io::is_household(file.text()) ? read_household(file, options) : read_column(options);
  }
  if (!options.seasons.empty()) out.seasons = options.seasons;
  return out;
}

ExpertPool make_pool(const ElectricityOptions& options, const std::vector<std::size_t>& seasons) {
  if (!options.pool.empty()) return ExpertPool(read_experts(options.pool));
  Experts experts = benchmark_experts(seasons);
  if (options.window > 0) {
    std::vector<std::size_t> lags = {1, 2, 3};
    if (!seasons.empty() && seasons[0] > 3) lags.push_back(seasons[0]);
    experts.push_back(rolling_regression_expert(lags, options.window));
  }
  return ExpertPool(std::move(experts));
}

std::vector<std::string> played_methods(const ElectricityOptions& options) {
  std::vector<std::string> methods =
      options.methods.empty()
          ? std::vector<std::string>{"hedge", "fixed-share", "genshare", "ml-poly",
                                     "boa",   "guard",       "pcgs-tf"}
          : compare::methods_from(options.methods, "");
  if (!options.model.empty()) methods.push_back(fmt::format("pcgs-tf{{model={}}}", options.model));
  return methods;
}

compare::Problem problem_of(const std::string& origin, const SplitLosses& losses,
                            const Matrix& part) {
  compare::Problem problem;
  problem.origin = origin;
  problem.experts = losses.experts;
  problem.values = part;
  return problem;
}

// The methods, the baselines tuned on the training part, and those tuned in hindsight.
Comparison play(const ElectricityOptions& options, const SplitLosses& losses) {
  constexpr const char* kTuned[] = {"hedge", "fixed-share"};
  compare::ComparisonOptions compared;
  compared.switches = options.switches;
  for (const char* name : kTuned) compared.methods.push_back(fmt::format("{}*", name));
  const Comparison tuned = play_with_progress(problem_of(options.input, losses, losses.training),
                                              compared, options.quiet);

  std::vector<std::string> methods = played_methods(options);
  std::erase_if(methods, [](const std::string& name) { return name.back() == '*'; });
  const std::size_t untuned = methods.size();
  for (const MethodResult& method : tuned.methods) methods.push_back(method.chosen);
  methods.insert(methods.end(), compared.methods.begin(), compared.methods.end());
  compared.methods = std::move(methods);
  Comparison comparison =
      play_with_progress(problem_of(options.input, losses, losses.test), compared, options.quiet);
  for (std::size_t i = 0; i < std::size(kTuned); ++i) {
    MethodResult& method = comparison.methods[untuned + i];
    method.chosen = method.name;
    method.name = fmt::format("{} (tuned on training part)", kTuned[i]);
  }
  return comparison;
}

std::string training_file(const std::string& folder) { return folder + "/train.npy"; }
std::string test_file(const std::string& folder) { return folder + "/test.npy"; }

void check_outputs(const ElectricityOptions& options) {
  std::vector<std::string> outputs = {options.report};
  if (!options.losses.empty()) {
    outputs.insert(outputs.end(), {training_file(options.losses), test_file(options.losses)});
  }
  check_distinct(outputs, {options.input, options.pool, options.model});
}

// The two parts as files that pcgs-train and pcgs run read.
struct LossFiles {
  explicit LossFiles(const std::string& folder)
      : training(training_file(folder)), test(test_file(folder)) {}

  void save(const SplitLosses& losses) {
    const auto put = [](WholeFile& file, const Matrix& matrix) {
      const auto bytes = io::npy_bytes(matrix);
      file.write(bytes.data(), bytes.size());
    };
    put(training, losses.training);
    put(test, losses.test);
    training.commit();
    test.commit();
  }

  WholeFile training, test;
};

std::string report_page(const ElectricityStudy& study, const nlohmann::ordered_json& json) {
  const auto problem = problem_of(study.origin, study.losses, study.losses.test);
  report::Material material;
  material.results.push_back({study.origin, json});
  material.runs.push_back(report::replay(problem, study.comparison, [&](const std::string& method) {
    return compare::make_player(problem, method);
  }));
  return report::page(material);
}

void run_electricity(const ElectricityOptions& options) {
  check_outputs(options);
  const Observations observations = read_observations(options);
  const SplitLosses losses = split_losses(
      observations.values, make_pool(options, observations.seasons), options.split, options.input);
  compare::check_methods(played_methods(options), losses.experts.size(), 0);
  std::unique_ptr<LossFiles> files;
  if (!options.losses.empty()) {
    std::error_code failed;  // then the files cannot be written either, and say so
    std::filesystem::create_directories(options.losses, failed);
    files = std::make_unique<LossFiles>(options.losses);
  }
  ReportFile page(options.report);
  const ElectricityStudy study = {
      options.input, observations.column,  observations.description, observations.seasons,
      losses,        play(options, losses)};
  const auto json = electricity_json(study);
  const std::string made = page ? report_page(study, json) : "";
  if (files) files->save(losses);
  if (page) page.write(made);
  fmt::print("{}", options.json ? io::json_text(json) + "\n" : electricity_table(study));
  if (page && !options.json) fmt::print("page in {}\n", options.report);
}

}  // namespace

void add_electricity(CLI::App& app) {
  auto options = std::make_shared<ElectricityOptions>();
  CLI::App* command = app.add_subcommand(
      "electricity", "The household benchmark, on the UCI file or any other series");
  const auto text = [&](const char* name, std::string& value, const char* meaning) {
    return command->add_option(name, value, meaning)->check(given())->type_name("TEXT");
  };
  const auto count = [&](const char* name, std::size_t& value, int low, const char* meaning) {
    return command->add_option(name, value, meaning)
        ->check(CLI::Range(low, 1000000000))
        ->type_name("NUMBER");
  };
  text("FILE", options->input,
       "household_power_consumption.txt as published (UCI dataset 235), or a .csv with a header, "
       "or .npy")
      ->required();
  text("--column", options->column, "The series (Global_active_power in the household file)");
  count("--minutes", options->minutes, 1, "Resolution of the household file (10)");
  CLI::Option* season =
      command
          ->add_option("--season", options->seasons,
                       "Observations in each season, the shortest first (a day and a week in the "
                       "household file, none in others)")
          ->delimiter(',')
          ->check(CLI::Range(2, 262144))
          ->type_name("NUMBERS");
  CLI::Option* window =
      count("--window", options->window, 0,
            "Observations that the regression over a rolling window sees; 0 for none")
          ->capture_default_str();
  text("--pool", options->pool, "JSON file that describes the experts (docs/experts.md)")
      ->excludes(season)
      ->excludes(window);
  count("--observations", options->split.observations, 1, "The last so many are used")
      ->capture_default_str();
  count("--burn-in", options->split.burn_in, 0,
        "The first observations, not judged; more where an expert needs longer to begin")
      ->capture_default_str();
  command->add_option("--training", options->split.training, "Share of the training part")
      ->check(CLI::Range(0.01, 0.99))
      ->type_name("NUMBER")
      ->capture_default_str();
  text("--method", options->methods,
       "Methods instead of the usual ones; those tuned on the training part and in hindsight are "
       "always there");
  text("--model", options->model, "Fine-tuned weights of pcgs-tf (.safetensors), as one more row");
  command
      ->add_option("--switches", options->switches,
                   "Switch budgets of the oracle that regret is measured against, comma-separated")
      ->delimiter(',')
      ->check(CLI::Range(0, 1000000))
      ->type_name("NUMBERS")
      ->default_str("5,10,20");
  add_report_option(*command, options->report);
  text("--losses", options->losses,
       "Folder for train.npy and test.npy, the losses of the two parts; pcgs-train --losses "
       "fine-tunes on the first");
  command->add_flag("--json", options->json, "Print one JSON object instead of the table");
  command->add_flag("--quiet", options->quiet, "No progress bar");
  command->footer(
      "Examples:\n"
      "  pcgs electricity household_power_consumption.txt\n"
      "  pcgs electricity household_power_consumption.txt --minutes 60 --losses losses\n"
      "  pcgs electricity tetouan.csv --column zone1_power --season 144,1008 --json");
  command->callback([options] { run_electricity(*options); });
}

}  // namespace pcgs::cli
