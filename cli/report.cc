// pcgs report: results that were written earlier, as one page.
#include "show/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "data/whole_file.h"
#include "pcgs/error.h"
#include "research/study.h"
#include "say.h"

namespace pcgs::cli {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> inputs;
  std::string out = "report.html";
  std::optional<std::size_t> switches;
  bool quiet = false;
};

// A folder that pcgs run or suite filled stands for the results and traces in it.
std::vector<std::string> files_of(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const auto& input : inputs) {
    std::error_code failed;
    if (!fs::is_directory(input, failed)) {
      files.push_back(input);
      continue;
    }
    std::vector<std::string> here;
    for (const fs::path& folder : {fs::path(input), fs::path(input) / "traces"}) {
      for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".json") || name.ends_with("-trace.csv")) {
          here.push_back(entry.path().string());
        }
      }
    }
    if (here.empty()) {
      throw Error(fmt::format(
          "{}: holds no results; give a folder that pcgs run or pcgs suite wrote with --out",
          input));
    }
    std::sort(here.begin(), here.end());
    files.insert(files.end(), here.begin(), here.end());
  }
  return files;
}

constexpr std::size_t kUsualSwitches = 20, kMostSwitches = 100000;

void make_report(const ReportOptions& options) {
  NamedFiles named{{options.out}, options.inputs};
  for (const auto& input : options.inputs) named.inputs.push_back(input + "/traces");
  finish_earlier(named, options.quiet);
  const auto files = files_of(options.inputs);
  check_distinct({{options.out}, files});
  OutputSet outputs;
  WholeFile* const page = add_page(outputs, options.out);
  report::Material material;
  std::vector<std::pair<std::string, std::string>> traces;  // path and text
  // That results were measured against, the largest budget if there are several.
  std::optional<std::size_t> switches;
  for (const auto& path : files) {
    const auto bytes = read_whole_file(path);
    std::string text(bytes.begin(), bytes.end());
    if (report::is_trace(text)) {
      traces.emplace_back(path, std::move(text));
      continue;
    }
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos || text[first] != '{') {
      throw Error(
          fmt::format("{}: is neither JSON nor a trace; give what pcgs prints with --json, or "
                      "writes with --out or --trace",
                      path));
    }
    const auto result = results::read_result(text, path, results::all_kinds());
    switches = std::max(switches, result.kind().switches(result));
    material.results.push_back({path, result});
  }
  const std::size_t most =
      options.switches.value_or(std::min(switches.value_or(kUsualSwitches), kMostSwitches));
  for (const auto& [path, text] : traces) {
    add_trace(report::depth_of_trace(text, path, most, traces.size()), path, material);
  }
  page->write(report::page(material));
  outputs.commit();
  if (!options.quiet) say(fmt::format("page in {}\n", options.out));
}

}  // namespace

void add_report(CLI::App& app) {
  auto [command, options] = add_command(
      app, "report", "Results that were written earlier, as one HTML page", make_report);
  command
      .add_option(
          "RESULTS", options->inputs,
          "JSON of run, suite, electricity, forecast or pcgs-train, traces of run, or folders "
          "that run or suite wrote")
      ->required()
      ->check(not_empty())
      ->type_name("FILES");
  command.add_option("--out", options->out, "The page")
      ->check(not_empty())
      ->capture_default_str()
      ->type_name("FILE");
  command
      .add_option(
          "--switches", options->switches,
          "Switches of the oracle's path beside a trace (default: as in the results, or 20)")
      ->check(CLI::Range(std::size_t{0}, kMostSwitches))
      ->type_name("NUMBER");
  command.add_flag("--quiet", options->quiet, "Do not say where the page is");
  command.footer(
      "The page opens from disk and loads nothing from elsewhere.\n\nExamples:\n  pcgs run "
      "losses.csv --method guard,fixed-share --trace t.csv --json > r.json\n  pcgs report r.json "
      "t.csv --out page.html\n  pcgs suite --study all --out results && pcgs report results");
}

}  // namespace pcgs::cli
