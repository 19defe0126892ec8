#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "pcgs/error.h"
#include "report/assets.h"
#include "report/blocks.h"
#include "report/markup.h"
#include "report/replay.h"
#include "report/sections.h"
#include "report/study.h"
#include "results/result.h"

namespace pcgs::report {

namespace {

enum class Kind {
  kRun,
  kElectricity,
  kForecast,
  kMain,
  kHeavyTail,
  kScaling,
  kAblation,
  kMechanism
};

constexpr std::pair<Kind, const char*> kNames[] = {
    {Kind::kRun, "run"},
    {Kind::kElectricity, "electricity"},
    {Kind::kForecast, "forecast"},
    {Kind::kMain, "main study"},
    {Kind::kHeavyTail, "heavy-tail study"},
    {Kind::kScaling, "scaling study"},
    {Kind::kAblation, "ablation study"},
    {Kind::kMechanism, "mechanism study"},
};

std::string name_of(Kind kind) {
  return std::find_if(std::begin(kNames), std::end(kNames),
                      [&](const auto& one) { return one.first == kind; })
      ->second;
}

[[noreturn]] void refuse(const std::string& origin) {
  throw Error(fmt::format(
      "{}: is not a result of pcgs run, suite, electricity or forecast; give what they print with "
      "--json or write with --out",
      origin));
}

Kind kind_of(const Material::Result& result) {
  const auto& json = result.json;
  const auto has = [&](const char* key) { return json.contains(key); };
  if (!json.is_object()) refuse(result.origin);
  if (has("oracle_mean_loss")) return Kind::kElectricity;
  if (has("forecasts") && has("next")) return Kind::kForecast;
  if (has("oracle") && has("methods")) return Kind::kRun;
  if (has("cells")) return Kind::kHeavyTail;
  if (has("pools")) return Kind::kScaling;
  if (!has("families") || !has("config") || json["families"].empty()) refuse(result.origin);
  const auto& family = json["families"].front();
  if (!family.contains("oracle")) return Kind::kMechanism;
  return json["config"].contains("featured") ? Kind::kMain : Kind::kAblation;
}

struct Contents {
  std::vector<Block> summary;
  std::vector<Section> sections;
};

// The run that these results are about: the same methods with the same losses. Null if none is.
const RunDepth* depth_of(const ordered_json& run, const Material& material) {
  for (const RunDepth& depth : material.runs) {
    const auto same = [&](const MethodDepth& method) {
      const auto* result = named(run.at("methods"), method.name);
      if (result == nullptr) return false;
      const double loss = result->at("total_loss").get<double>();
      return std::abs(method.total_loss - loss) <= 1e-9 * (1 + std::abs(loss));
    };
    if (std::all_of(depth.methods.begin(), depth.methods.end(), same)) return &depth;
  }
  return nullptr;
}

void add_result(Kind kind, const ordered_json& json, const Material& material, Contents& out) {
  const auto summarize = [&](std::vector<Block> blocks) {
    std::move(blocks.begin(), blocks.end(), std::back_inserter(out.summary));
  };
  switch (kind) {
    case Kind::kRun:
      summarize(run_summary(json, depth_of(json, material)));
      out.sections.push_back(run_section(json));
      break;
    case Kind::kElectricity:
      summarize(electricity_summary(json));
      out.sections.push_back(electricity_section(json));
      break;
    case Kind::kForecast:
      // Only the command itself has both; a trace may be of anything.
      summarize(forecast_summary(json, material.forecasts.empty() || material.runs.empty()
                                           ? nullptr
                                           : &material.runs.front()));
      out.sections.push_back(forecast_section(json));
      break;
    case Kind::kMain:
      summarize(main_summary(json));
      out.sections.push_back(main_section(json));
      break;
    case Kind::kHeavyTail:
      out.sections.push_back(heavy_tail_section(json));
      break;
    case Kind::kScaling:
      out.sections.push_back(scaling_section(json));
      break;
    case Kind::kAblation:
      out.sections.push_back(ablation_section(json));
      break;
    case Kind::kMechanism:
      out.sections.push_back(mechanism_section(json));
      break;
  }
}

// A suite of all studies is one object of many.
std::map<Kind, Material::Result> sorted(const Material& material) {
  std::map<Kind, Material::Result> out;
  const auto add = [&](Material::Result result) {
    const Kind kind = kind_of(result);
    const auto [at, added] = out.emplace(kind, result);
    if (!added) {
      throw Error(
          fmt::format("{} and {} are both results of the same kind ({}); give a page to each "
                      "of them",
                      at->second.origin, result.origin, name_of(kind)));
    }
  };
  for (const auto& result : material.results) {
    if (!result.json.is_object() || !result.json.contains("studies")) {
      add(result);
      continue;
    }
    const auto& studies = result.json["studies"];
    if (!studies.is_object() || studies.empty()) refuse(result.origin);
    for (const auto& [name, study] : studies.items()) add({result.origin + ", " + name, study});
  }
  return out;
}

std::vector<Section> sections_of(const Material& material,
                                 const std::map<Kind, Material::Result>& results) {
  Contents out;
  for (const auto& [kind, result] : results) {
    try {
      add_result(kind, result.json, material, out);
    } catch (const ordered_json::exception&) {
      throw Error(fmt::format(
          "{}: looks like a result ({}) but lacks parts of it; give it as it was written",
          result.origin, name_of(kind)));
    }
  }
  if (!material.forecasts.empty()) out.sections.push_back(curves_section(material.forecasts));
  if (!material.runs.empty()) {
    out.sections.push_back(depth_section(material.runs));
    if (auto restarts = restarts_section(material.runs)) {
      out.sections.push_back(std::move(*restarts));
    }
  }
  if (!out.summary.empty()) {
    out.sections.insert(out.sections.begin(), {"summary", "Summary", std::move(out.summary)});
  }
  return std::move(out.sections);
}

std::string title_of(const Material& material, const std::map<Kind, Material::Result>& results) {
  std::string origin;
  if (!results.empty()) {
    const auto& [kind, result] = *results.begin();
    if (kind > Kind::kForecast) return name_of(kind);  // a study is no file of the reader's
    origin = result.origin;
  }
  if (origin.empty() && !material.runs.empty()) origin = material.runs.front().title;
  if (origin.empty() && !material.forecasts.empty()) origin = material.forecasts.front().title;
  return std::filesystem::path(origin).filename().string();
}

std::string subtitle_of(const std::map<Kind, Material::Result>& results, const Material& material) {
  std::string out;
  for (const auto& result : results) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", name_of(result.first));
  }
  if (!material.runs.empty()) out += out.empty() ? "a run in depth" : ", in depth";
  return "A report by pcgs: " + (out.empty() ? "forecasts" : out);
}

// Comments cannot hold two hyphens in a row.
std::string comment(std::string_view text) {
  std::string out = "<!--\n";
  for (const char c : text) {
    if (c == '-' && out.back() == '-') out += ' ';
    out += c;
  }
  return out + "\n-->\n";
}

}  // namespace

bool available() { return assets() != nullptr; }

void require_available() {
  if (available()) return;
  throw Error(
      "this build of pcgs makes no report pages; install npm, configure again with "
      "-DPCGS_REPORT=ON and build");
}

std::vector<Section> sections(const Material& material) {
  return sections_of(material, sorted(material));
}

std::string page(const Material& material) {
  require_available();
  const auto results = sorted(material);
  const auto shown = sections_of(material, results);
  const std::string title = escaped(title_of(material, results));
  const Assets& files = *assets();

  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  // Nothing is ever fetched. Vega compiles expressions, which is what unsafe-eval allows.
  out +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:\">\n";
  out += fmt::format("<title>{} - pcgs</title>\n<style>\n{}\n</style></head>\n<body>\n", title,
                     files.styles);
  out += fmt::format("<header><h1>{}</h1><p class=\"subtitle\">{}</p></header>\n", title,
                     escaped(subtitle_of(results, material)));
  out += "<nav aria-label=\"Contents\"><ul>";
  for (const auto& section : shown) {
    out +=
        fmt::format("<li><a href=\"#{}\">{}</a></li>", escaped(section.id), escaped(section.title));
  }
  out +=
      "</ul></nav>\n<noscript><p>Charts need JavaScript; tables and texts are complete without "
      "it.</p></noscript>\n<main>\n";
  for (const auto& section : shown) out += html(section);
  out +=
      "</main>\n<footer><p>Made by pcgs. Regret is the loss beyond the exact best sequence of "
      "experts in hindsight. Long curves keep of each stretch the first, last, lowest and "
      "highest value. Charts are drawn by Vega and Vega-Lite, whose licences are in the source "
      "of this page.</p></footer>\n";
  out += comment(files.vega_licence) + comment(files.vega_lite_licence);
  for (const auto code : {files.vega, files.vega_lite, files.script}) {
    out += "<script>" + script_code(code) + "</script>\n";
  }
  return out + "</body></html>\n";
}

std::string run_page(const compare::Problem& problem, const compare::Comparison& comparison,
                     RunDepth depth) {
  require_available();
  Material material;
  material.results.push_back({problem.origin, ordered_json::parse(results::to_json(
                                                  results::run_result(problem, comparison)))});
  material.runs.push_back(std::move(depth));
  if (problem.has_forecasts()) material.forecasts.push_back(forecast_curves(problem, comparison));
  return page(material);
}

std::string run_page(const compare::Problem& problem, const compare::Comparison& comparison) {
  require_available();
  DepthObserver depth(problem);
  observe_methods(problem, comparison, {&depth}, stretches_for(comparison.methods.size()));
  return run_page(problem, comparison, depth.take());
}

}  // namespace pcgs::report
