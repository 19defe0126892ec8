// pcgs suite: the synthetic studies.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "commands.h"
#include "compare/comparison.h"
#include "core/spec.h"
#include "core/whole_file.h"
#include "io/json_text.h"
#include "io/progress.h"
#include "outputs.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "report/first_sequences.h"
#include "report/report.h"
#include "report_file.h"
#include "studies/study.h"

namespace pcgs::cli {

using nlohmann::ordered_json;

namespace {

struct SuiteOptions {
  studies::StudyConfig study;
  std::string name = "main";
  std::string methods = "all";
  std::string model;
  std::string families = "all";
  std::string out;  // folder for files; empty: none are written
  std::string report;
  bool json = false;
  bool quiet = false;
};

void write_file(const std::string& path, const std::string& content) {
  WholeFile file(path);
  file.write(content);
  file.commit();
}

std::string make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (!std::filesystem::is_directory(path, failed)) {
    throw Error(fmt::format("{} cannot be made a folder; give another one with --out", path));
  }
  return path;
}

void save(const std::string& folder, const char* study, const studies::StudyResult& result,
          WholeFile& json) {
  json.write(io::json_text(result.json, 1) + "\n");
  json.commit();
  for (const auto& [name, table] : result.tables) {
    write_file(fmt::format("{}/{}.csv", folder, name), csv(table));
    write_file(fmt::format("{}/{}.tex", folder, name), latex(table, name));
  }
  for (const io::TextTable& data : result.data) {
    write_file(fmt::format("{}/{}-{}.csv", folder, study, data.caption), csv(data));
  }
}

void refuse_doubles(const char* kind, const std::vector<std::string>& names) {
  for (auto at = names.begin(); at != names.end(); ++at) {
    if (std::find(names.begin(), at, *at) != at) {
      throw Error(fmt::format("{} {} is given twice; give it once", kind, *at));
    }
  }
}

void check(SuiteOptions& options) {
  studies::StudyConfig& study = options.study;
  if (options.methods.empty() || options.families.empty()) {
    throw Error("--method and --families take names, or all; leave them out for all");
  }
  study.methods = compare::methods_from(options.methods, options.model);
  compare::check_methods(study.methods, study.experts, 0);
  if (options.families == "all") {
    for (const auto& family : suite::families()) study.families.emplace_back(family.name);
  } else {
    study.families = split_list("family", options.families);
    for (const auto& name : study.families) suite::generate(name, 1, 1, 0);  // or an Error
    refuse_doubles("family", study.families);
  }
  if (options.name == "mechanism" || options.name == "all") study.methods_with_restarts();
  if (options.name == "ablation" && !(options.methods == "all" && options.model.empty())) {
    throw Error(
        "the ablation study takes the shipped pcgs-tf apart; leave out --method and --model");
  }
  if (!study.retrained.empty() && options.name != "ablation" && options.name != "all") {
    throw Error("--retrained is for the ablation study; leave it out or add --study ablation");
  }
  for (std::size_t i = 0; i < study.pools.size(); ++i) {
    if (std::count(study.pools.begin(), study.pools.end(), study.pools[i]) > 1) {
      throw Error(fmt::format("--pools names {} twice; name it once", study.pools[i]));
    }
  }
  if (study.threads == 0) study.threads = std::max(1U, std::thread::hardware_concurrency());
}

void run_suite(SuiteOptions& options) {
  check(options);
  const studies::StudyConfig& study = options.study;
  ordered_json whole;
  const bool all = options.name == "all";
  std::vector<studies::Study> chosen;
  // Folders and files are there before the work, which may take long.
  std::vector<std::unique_ptr<WholeFile>> files;
  const bool traced =
      !options.out.empty() && (all || options.name == "main" || options.name == "mechanism");
  if (!options.out.empty()) make_folder(options.out);
  if (traced) make_folder(options.out + "/traces");
  std::vector<std::string> outputs = {options.report};
  for (const studies::Study& one : studies::kStudies) {
    if (!options.out.empty()) outputs.push_back(fmt::format("{}/{}.json", options.out, one.name));
  }
  check_distinct(outputs, {options.model});
  ReportFile page(options.report);
  report::Material material;
  for (const studies::Study& one : studies::kStudies) {
    if (!all && options.name != one.name) continue;
    chosen.push_back(one);
    if (options.out.empty()) continue;
    files.push_back(std::make_unique<WholeFile>(fmt::format("{}/{}.json", options.out, one.name)));
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const studies::Study& one = chosen[i];
    const auto start = std::chrono::steady_clock::now();
    studies::StudyResult result = one.run(study, io::progress_bars(options.quiet));
    ordered_json with_kind = {{"kind", fmt::format("{} study", one.name)}};
    with_kind.update(result.json);
    result.json = std::move(with_kind);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    result.json["timing"] = {{"seconds", spent.count()}, {"threads", study.threads}};
    if (!options.out.empty()) save(options.out, one.name, result, *files[i]);
    if (page) material.results.push_back({fmt::format("{} study", one.name), result.json});
    if (!options.json) {
      for (const auto& named : result.tables) fmt::print("{}\n", text(named.second));
      fmt::print("{}seed {}, {:.1f} s\n{}", result.remarks, study.seed, spent.count(),
                 all ? "\n" : "");
      std::fflush(stdout);
    } else if (all) {
      whole["kind"] = "suite";
      whole["studies"][one.name] = std::move(result.json);
    } else {
      whole = std::move(result.json);
    }
  }
  if (options.json) fmt::print("{}\n", io::json_text(whole));
  if (traced) write_round_files(study, options.out + "/traces");
  if (page) {
    const bool in_depth = all || options.name == "main" || options.name == "mechanism";
    if (in_depth) material.runs = report::first_sequences(study);
    page.write(report::page(material));
    if (!options.json) fmt::print("page in {}\n", options.report);
  }
  if (!options.out.empty() && !options.json) fmt::print("files in {}\n", options.out);
}

}  // namespace

void add_suite(CLI::App& app) {
  auto options = std::make_shared<SuiteOptions>();
  studies::StudyConfig& study = options->study;
  study.threads = 0;
  study.pools = {64, 256, 1024, 4096};
  CLI::App* command = app.add_subcommand(
      "suite", "The synthetic studies: seven families, exact regret, statistics");
  command->add_option("--study", options->name, "Which study")
      ->check(CLI::IsMember({"main", "heavy-tail", "scaling", "mechanism", "ablation", "all"}))
      ->capture_default_str();
  const auto number = [&](const char* name, std::size_t& value, const char* meaning, double least,
                          double most) {
    return command->add_option(name, value, meaning)
        ->check(CLI::Range(least, most))
        ->capture_default_str()
        ->type_name("NUMBER");
  };
  number("--rounds", study.rounds, "Rounds of a sequence", 1, 1e6);
  number("--experts", study.experts, "Experts (the scaling study has its own, see --pools)", 1,
         1e5);
  number("--sequences", study.sequences, "Sequences of each family", 1, 1e5);
  number("--switches", study.switches, "Switches that the oracle may take", 0, 1e5);
  const CLI::Validator whole_number(
      [](std::string& text) {
        const bool fits = !text.empty() && text.size() <= 18 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
        return fits ? std::string() : text + " is not a whole number of at most 18 digits";
      },
      "");
  command->add_option("--seed", study.seed, "Seed of all sequences")
      ->check(whole_number)
      ->capture_default_str()
      ->type_name("NUMBER");
  command
      ->add_option("--method", options->methods,
                   "Methods, comma-separated: NAME or NAME{option=value,...}; all for every one")
      ->capture_default_str()
      ->type_name("TEXT");
  command->add_option(
      "--model", options->model,
      "Weights of pcgs-tf, also inside guard (.safetensors), instead of the shipped "
      "ones");
  command
      ->add_option("--families", options->families,
                   "Families of the main and mechanism studies, comma-separated: NAME or "
                   "NAME{parameter=value,...}; all for every one")
      ->capture_default_str()
      ->type_name("TEXT");
  command->add_option("--pools", study.pools, "Numbers of experts of the scaling study")
      ->delimiter(',')
      ->check(CLI::Range(1, 100000))
      ->type_name("NUMBERS")
      ->default_str("64,256,1024,4096");
  command->add_option("--retrained", study.retrained,
                      "Folder of models that were trained without one of their choices, as more "
                      "rows of the ablation study");
  number("--threads", study.threads, "Threads; 0 for one on each core. No result depends on it", 0,
         1024);
  command
      ->add_option(
          "--out", options->out,
          "Folder for JSON, CSV and LaTeX tables; with the main and mechanism studies also "
          "per-round files of the first sequence of each family")
      ->check([](const std::string& path) {
        return path.empty() ? std::string("is empty; name a folder") : "";
      });
  add_report_option(*command, options->report);
  command->add_flag("--json", options->json, "Print one JSON object instead of the tables");
  command->add_flag("--quiet", options->quiet, "No progress bar");
  std::string described;
  for (const auto& family : suite::families()) {
    described += fmt::format("  {:<13}{}\n", family.name, family.summary);
    for (const auto& option : family.parameters) {
      described +=
          fmt::format("                 {}: {}, {:.6g} if not given, in [{}, {}]\n", option.name,
                      option.meaning, option.standard, option.low, option.high);
    }
  }
  command->footer("Families:\n" + described +
                  "\nExamples:\n"
                  "  pcgs suite\n"
                  "  pcgs suite --study scaling --method fixed-share,fixed-share*\n"
                  "  pcgs suite --study all --seed 11 --out results");
  command->callback([options] { run_suite(*options); });
}

}  // namespace pcgs::cli
