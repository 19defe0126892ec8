// pcgs suite: the synthetic studies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

#include "commands.h"
#include "core/spec.h"
#include "data/output_files.h"
#include "data/progress.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "research/study.h"
#include "run/checks.h"
#include "say.h"
#include "show/report.h"
#include "show/result.h"

namespace pcgs::cli {

namespace {

struct SuiteOptions {
  studies::StudyConfig study;
  std::string name = "main";
  std::string methods = "all";
  std::string model;
  std::string families = "all";
  std::string sequence;  // a family: print one of its sequences and play nothing
  bool unclipped = false;
  std::string out;  // folder for files; empty: none are written
  std::string report;
  bool brief = false;  // one table for each study
  bool json = false;
  bool quiet = false;
};

std::string json_file(const SuiteOptions& options, const char* study) {
  return fmt::format("{}/{}.json", options.out, study);
}

void save(OutputSet& outputs, const std::string& folder, const char* study,
          const studies::StudyTables& tables) {
  for (const auto& [name, table] : tables.tables) {
    outputs.add(fmt::format("{}/{}.csv", folder, name)).write(csv(table));
    outputs.add(fmt::format("{}/{}.tex", folder, name)).write(latex(table, name));
  }
  for (const io::TextTable& data : tables.data) {
    outputs.add(fmt::format("{}/{}-{}.csv", folder, study, data.caption)).write(csv(data));
  }
}

template <class T>
void refuse_doubles(const char* sentence, const std::vector<T>& all) {
  for (auto at = all.begin(); at != all.end(); ++at) {
    if (std::find(all.begin(), at, *at) != at) {
      throw Error(fmt::format(fmt::runtime(sentence), *at));
    }
  }
}

void check(SuiteOptions& options) {
  studies::StudyConfig& study = options.study;
  if (options.methods.empty() || options.families.empty()) {
    throw Error("--method and --families take names, or all; leave them out for all");
  }
  study.methods = compare::methods_from({split_specs(options.methods), options.model});
  compare::check_methods(study.methods, {study.experts});
  if (options.families == "all") {
    for (const auto& family : suite::families()) study.families.emplace_back(family.name);
  } else {
    study.families = split_list("family", options.families);
    for (const auto& name : study.families) suite::generate(name, 1, 1, 0);  // or an Error
    refuse_doubles("family {} is given twice; give it once", study.families);
  }
  if (options.name == "mechanism" || options.name == "all") study.methods_with_restarts();
  if (options.name == "ablation" && !(options.methods == "all" && options.model.empty())) {
    throw Error(
        "the ablation study takes the shipped pcgs-tf apart; leave out --method and --model");
  }
  if (!study.retrained.empty() && options.name != "ablation" && options.name != "all") {
    throw Error("--retrained is for the ablation study; leave it out or add --study ablation");
  }
  refuse_doubles("--pools names {} twice; name it once", study.pools);
  if (study.threads == 0) study.threads = std::max(1U, std::thread::hardware_concurrency());
}

// Plays, writes and, unless JSON is wanted, prints.
results::StudyResult run_study(const SuiteOptions& options, const results::StudyForm& form,
                               OutputSet& outputs, WholeFile* json) {
  auto study = studies::play(form, options.study, io::progress_bars(options.quiet));
  const auto tables = form.tables(study);
  if (json != nullptr) {
    json->write(results::to_json(study, 1) + "\n");
    save(outputs, options.out, form.name, tables);
  }
  if (!options.json) {
    for (const auto& [name, table] : tables.tables) {
      say(text(table) + "\n");
      if (options.brief) break;
    }
    say(fmt::format("{}seed {}, {:.1f} s\n{}", options.brief ? "" : tables.remarks,
                    options.study.seed, study.timing->seconds, options.name == "all" ? "\n" : ""));
    std::fflush(stdout);
  }
  return study;
}

NamedFiles files_of(const SuiteOptions& options) {
  NamedFiles files{{options.report}, {options.model}};
  for (const auto& study : results::kStudies) {
    if (!options.out.empty()) files.outputs.push_back(json_file(options, study.name));
  }
  return files;
}

void print_sequence(const SuiteOptions& options) {
  const studies::StudyConfig& study = options.study;
  const suite::Sequence made =
      suite::generate(options.sequence, study.rounds, study.experts, study.seed);
  const Matrix& table = options.unclipped ? made.unclipped : made.losses;
  std::string out;
  for (std::size_t k = 1; k <= table.columns; ++k) {
    out += fmt::format("e{}{}", k, k == table.columns ? '\n' : ',');
  }
  for (std::size_t t = 0; t < table.rows; ++t) {
    out += fmt::format("{}\n", fmt::join(table.row(t), ","));
  }
  put(out);
}

void run_suite(SuiteOptions& options) {
  if (!options.sequence.empty()) return print_sequence(options);
  check(options);
  const bool all = options.name == "all";
  const bool in_depth = all || options.name == "main" || options.name == "mechanism";
  finish_earlier(files_of(options), options.quiet);
  check_distinct(files_of(options));
  // Folders and files are there before the work, which may take long.
  OutputSet outputs;
  if (!options.out.empty()) outputs.add_folder(options.out);
  if (!options.out.empty() && in_depth) outputs.add_folder(options.out + "/traces");
  WholeFile* const page = add_page(outputs, options.report);
  std::vector<std::pair<const results::StudyForm*, WholeFile*>> chosen;
  for (const auto& study : results::kStudies) {
    if (!all && options.name != study.name) continue;
    chosen.emplace_back(
        &study, options.out.empty() ? nullptr : &outputs.add(json_file(options, study.name)));
  }
  results::SuiteResult suite;
  for (const auto& [study, json] : chosen) {
    suite.studies.push_back(run_study(options, *study, outputs, json));
  }
  if (!options.out.empty() && in_depth) {
    write_round_files(options.study, options.out + "/traces", outputs);
  }
  if (page != nullptr) {
    report::Material material;
    material.results.push_back({"pcgs suite", suite});
    if (in_depth) material.runs = studies::first_sequences(options.study);
    page->write(report::page(material));
  }
  outputs.commit();
  if (options.json) {
    const auto& first = suite.studies.front();
    put((all ? results::to_json(suite) : results::to_json(first)) + "\n");
  }
  if (!options.report.empty() && !options.json) say(fmt::format("page in {}\n", options.report));
  if (!options.out.empty() && !options.json) say(fmt::format("files in {}\n", options.out));
}

std::string families_text() {
  std::string out;
  for (const auto& family : suite::families()) {
    out += fmt::format("  {:<13}{}\n", family.name, family.summary);
    for (const auto& option : family.parameters) {
      out += fmt::format("                 {}: {}, {:.6g} if not given, in [{}, {}]\n", option.name,
                         option.meaning, option.standard, option.low, option.high);
    }
  }
  return out;
}

void add_study_options(CLI::App& command, studies::StudyConfig& study) {
  const auto number = [&](const char* name, std::size_t& value, const char* meaning,
                          std::size_t least, std::size_t most) {
    add_number(command, name, value, least, most, meaning)->capture_default_str();
  };
  number("--rounds", study.rounds, "Rounds of a sequence", 1, 1000000);
  number("--experts", study.experts, "Experts (the scaling study has its own, see --pools)", 1,
         100000);
  number("--sequences", study.sequences, "Sequences of each family", 1, 100000);
  number("--switches", study.switches, "Switches that the oracle may take", 0, 100000);
  const CLI::Validator whole_number(
      [](std::string& text) {
        const bool fits = !text.empty() && text.size() <= 18 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
        return fits ? std::string() : text + " is not a whole number of at most 18 digits";
      },
      "");
  command.add_option("--seed", study.seed, "Seed of all sequences")
      ->check(whole_number)
      ->capture_default_str()
      ->type_name("NUMBER");
  number("--threads", study.threads, "Threads; 0 for one on each core. No result depends on it", 0,
         1024);
  add_numbers(command, "--pools", study.pools, 1, 100000, "Numbers of experts of the scaling study")
      ->default_str("64,256,1024,4096");
  command.add_option("--retrained", study.retrained,
                     "Folder of models that were trained without one of their choices, as more "
                     "rows of the ablation study");
}

}  // namespace

void add_suite(CLI::App& app) {
  auto [command, options] = add_command(
      app, "suite", "The synthetic studies: seven families, exact regret, statistics", run_suite);
  options->study.threads = 0;
  options->study.pools = {64, 256, 1024, 4096};
  command.add_option("--study", options->name, "Which study")
      ->check(CLI::IsMember({"main", "heavy-tail", "scaling", "mechanism", "ablation", "all"}))
      ->capture_default_str();
  add_study_options(command, options->study);
  command
      .add_option("--method", options->methods,
                  "Methods, comma-separated: NAME or NAME{option=value,...}; all for every one")
      ->capture_default_str()
      ->type_name("TEXT");
  add_model(command, options->model);
  command
      .add_option("--families", options->families,
                  "Families of the main and mechanism studies, comma-separated: NAME or "
                  "NAME{parameter=value,...}; all for every one")
      ->capture_default_str()
      ->type_name("TEXT");
  add_text(
      command, "--sequence", options->sequence,
      "Print the losses of one sequence of this family as CSV, made from --rounds, --experts and "
      "--seed; play nothing");
  command.add_flag("--unclipped", options->unclipped,
                   "With --sequence: what was clipped to make the losses");
  add_text(command, "--out", options->out,
           "Folder for JSON, CSV and LaTeX tables; with the main and mechanism studies also "
           "per-round files of the first sequence of each family");
  add_report_option(command, options->report);
  command.add_flag("--brief", options->brief, "Print the first table of each study only");
  add_printing(command, options->json, options->quiet, " of the tables");
  command.footer("Families:\n" + families_text() +
                 "\nExamples:\n"
                 "  pcgs suite\n"
                 "  pcgs suite --study scaling --method fixed-share,fixed-share*\n"
                 "  pcgs suite --study all --seed 11 --out results");
}

}  // namespace pcgs::cli
