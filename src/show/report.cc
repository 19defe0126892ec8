#include "show/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "pcgs/error.h"
#include "show/assets.h"
#include "show/markup.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::Result;

// One result of each kind, in the order of results::Result; a suite is taken apart.
struct Part {
  std::string origin;
  Result result;
  const RunDepth* depth = nullptr;
  const ForecasterView* view = nullptr;
  const FanView* fans = nullptr;
};
using Parts = std::map<std::size_t, Part>;

std::string kind_of(const Result& result) {
  return std::visit([](const auto& one) { return one.kKind; }, result);
}

Parts parts_of(const Material& material) {
  Parts out;
  const auto add = [&](Part part) {
    const auto& origin = part.origin;
    const Result& result = part.result;
    if (std::holds_alternative<results::OracleResult>(result)) {
      throw Error(
          fmt::format("{}: is a result of pcgs oracle, which has no page; give one of run, suite, "
                      "electricity, forecast or pcgs-train",
                      origin));
    }
    const std::size_t kind = result.index();
    if (const auto at = out.find(kind); at != out.end()) {
      throw Error(fmt::format(
          "{} and {} are both results of the same kind ({}); give a page to each of them",
          at->second.origin, origin, kind_of(result)));
    }
    out.emplace(kind, std::move(part));
  };
  for (const auto& [origin, result, depth, view, fans] : material.results) {
    if (const auto* suite = std::get_if<results::SuiteResult>(&result)) {
      for (const auto& study : suite->studies) {
        const std::string whose = origin + ", ";
        std::visit([&](const auto& one) { add({whose + one.kKind, one}); }, study);
      }
    } else {
      add({origin, result, depth ? &*depth : nullptr, view ? &*view : nullptr,
           fans ? &*fans : nullptr});
    }
  }
  return out;
}

// The sections of each kind, and what it adds to the summary.
struct SectionsOf {
  const RunDepth* depth;
  const ForecasterView* view;
  const FanView* fans;
  std::vector<Block>& summary;
  std::vector<Section>& sections;
  std::vector<Section>& later;  // for after the curves of forecasts

  void add(std::vector<Block> blocks, Section section) {
    std::move(blocks.begin(), blocks.end(), std::back_inserter(summary));
    sections.push_back(std::move(section));
  }
  void operator()(const results::RunResult& run) {
    if (!run.answer) {
      add(run_summary(run, depth), run_section(run));
      return;
    }
    for (auto& block : forecaster_summary(*run.answer)) summary.push_back(std::move(block));
    for (auto& section : forecaster_sections(run, view)) sections.push_back(std::move(section));
    if (!run.switches.empty()) later.push_back(run_section(run));
  }
  void operator()(const results::SeriesResult& result) {
    add(series_summary(result), series_section(result));
  }
  void operator()(const results::QuantileResult& result) {
    for (auto& block : quantile_summary(result)) summary.push_back(std::move(block));
    for (auto& section : quantile_sections(result, fans)) sections.push_back(std::move(section));
  }
  void operator()(const results::ElectricityResult& study) {
    add(electricity_summary(study), electricity_section(study));
  }
  void operator()(const results::ForecastResult& forecast) {
    add(forecast_summary(forecast, depth), forecast_section(forecast));
  }
  void operator()(const results::MainStudy& study) {
    add(main_summary(study), main_section(study));
  }
  void operator()(const results::HeavyTailStudy& study) { add({}, heavy_tail_section(study)); }
  void operator()(const results::ScalingStudy& study) { add({}, scaling_section(study)); }
  void operator()(const results::AblationStudy& study) { add({}, ablation_section(study)); }
  void operator()(const results::MechanismStudy& study) { add({}, mechanism_section(study)); }
  void operator()(const results::TrainingResult& training) {
    for (auto& block : training_summary(training)) summary.push_back(std::move(block));
    for (auto& section : training_sections(training)) sections.push_back(std::move(section));
  }
  void operator()(const results::SuiteResult&) {}   // was taken apart
  void operator()(const results::OracleResult&) {}  // was refused
};

std::vector<const RunDepth*> runs_of(const Material& material) {
  std::vector<const RunDepth*> runs;
  for (const auto& result : material.results) {
    if (result.depth) runs.push_back(&*result.depth);
  }
  for (const auto& run : material.runs) runs.push_back(&run);
  return runs;
}

std::vector<Section> sections_of(const Material& material, const Parts& parts) {
  std::vector<Block> summary;
  std::vector<Section> sections, later;
  for (const auto& [kind, part] : parts) {
    std::visit(SectionsOf{part.depth, part.view, part.fans, summary, sections, later}, part.result);
  }
  if (!material.forecasts.empty()) sections.push_back(curves_section(material.forecasts));
  std::move(later.begin(), later.end(), std::back_inserter(sections));
  if (const auto runs = runs_of(material); !runs.empty()) {
    sections.push_back(depth_section(runs));
    if (auto restarts = restarts_section(runs)) sections.push_back(std::move(*restarts));
  }
  if (!summary.empty()) {
    sections.insert(sections.begin(), {"summary", "Summary", std::move(summary)});
  }
  return sections;
}

std::string title_of(const Material& material, const Parts& parts) {
  std::string origin;
  if (!parts.empty()) {
    const Part& first = parts.begin()->second;
    const std::string kind = kind_of(first.result);
    if (kind.ends_with(" study")) return kind;  // no file of the reader's
    origin = first.origin;
  } else if (!material.runs.empty()) {
    origin = material.runs.front().title;
  } else if (!material.forecasts.empty()) {
    origin = material.forecasts.front().title;
  }
  return std::filesystem::path(origin).filename().string();
}

// "5 models, combined by blend in 3000 rounds from 2026-03-01 to 2026-07-03".
std::string forecasts_subtitle(const results::RunResult& run) {
  std::string out = fmt::format("{} model{}, combined by {} in {} round{}", run.experts.size(),
                                run.experts.size() == 1 ? "" : "s", run.methods.back().name,
                                run.rounds, run.rounds == 1 ? "" : "s");
  if (const auto& times = run.answer->times) {
    out += fmt::format(" from {} to {}", unbroken(times->first), unbroken(times->last));
  }
  return out;
}

std::string subtitle_of(const Material& material, const Parts& parts) {
  if (parts.size() == 1) {
    const Result& result = parts.begin()->second.result;
    const auto* run = std::get_if<results::RunResult>(&result);
    if (run != nullptr && run->answer) return forecasts_subtitle(*run);
    if (const auto* many = std::get_if<results::SeriesResult>(&result)) {
      return fmt::format("{} series by {}, {} models, {} rounds together", many->series.size(),
                         fmt::join(many->by, ", "), many->experts.size(), many->rounds);
    }
    if (const auto* levels = std::get_if<results::QuantileResult>(&result)) {
      return fmt::format("{} models with {} quantiles each, {} rounds of {} series",
                         levels->experts.size(), levels->levels.size(), levels->rounds,
                         levels->series.size());
    }
    if (const auto* training = std::get_if<results::TrainingResult>(&result)) {
      return fmt::format("A controller, trained by the recipe {} in {} step{}", training->recipe,
                         training->steps, training->steps == 1 ? "" : "s");
    }
  }
  std::string out;
  for (const auto& part : parts) {
    out += (out.empty() ? "" : ", ") + kind_of(part.second.result);
  }
  if (!runs_of(material).empty()) out += out.empty() ? "a run in depth" : ", in depth";
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

std::string head(const std::string& title, const Assets& files) {
  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  // Nothing is ever fetched. Vega compiles expressions, which is what unsafe-eval allows.
  out +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:\">\n";
  return out + fmt::format("<title>{} - pcgs</title>\n<style>\n{}\n</style></head>\n", title,
                           files.styles);
}

std::string scripts(const Assets& files) {
  std::string out = comment(files.vega_licence) + comment(files.vega_lite_licence);
  out += "<script type=\"application/json\" id=\"templates\">{";
  for (const auto& [name, text] : files.charts) {
    out += fmt::format("{}\"{}\":{}", out.back() == '{' ? "" : ",", name,
                       script_json(ordered_json::parse(text)));
  }
  out += "}</script>\n";
  for (const auto code : {files.vega, files.vega_lite}) {
    out += "<script>" + script_code(code) + "</script>\n";
  }
  return out + "<script>(() => {\n" + script_code(files.script) + "})();</script>\n";
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
  return sections_of(material, parts_of(material));
}

std::string page(const Material& material) {
  require_available();
  const Parts parts = parts_of(material);
  const auto shown = sections_of(material, parts);
  const std::string title = escaped(title_of(material, parts));

  std::string out = head(title, *assets());
  out += fmt::format("<body>\n<header><h1>{}</h1><p class=\"subtitle\">{}</p></header>\n", title,
                     escaped(subtitle_of(material, parts)));
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
      "experts in hindsight. Long curves keep of each stretch the first, last, lowest and highest "
      "value. Charts are drawn by Vega and Vega-Lite, whose licences are in the source of this "
      "page.</p></footer>\n";
  return out + scripts(*assets()) + "</body></html>\n";
}

void check_belongs(const results::RunResult& run, const std::string& run_origin,
                   const RunDepth& trace, const std::string& trace_origin) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format(
        "{}: is not a trace of the run in {}: {}; give a trace of the same run, or a page to each",
        trace_origin, run_origin, why));
  };
  if (trace.experts != run.experts) refuse("it has other experts");
  if (trace.rounds + run.skipped_rounds != run.rounds) {
    refuse(
        fmt::format("it has {} rounds, and not {}", trace.rounds, run.rounds - run.skipped_rounds));
  }
  for (const auto& method : trace.methods) {
    if (std::none_of(run.methods.begin(), run.methods.end(),
                     [&](const auto& one) { return one.name == method.name; })) {
      refuse(fmt::format("it has {}, which is not among the methods", method.name));
    }
  }
}

}  // namespace pcgs::report
