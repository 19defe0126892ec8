#include "show/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pcgs/error.h"
#include "show/assets.h"
#include "show/blocks.h"
#include "show/run_result.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

// In the order of their kinds, each kind once.
std::vector<Shown> shown_of(const Material& material) {
  std::vector<Shown> all;
  const auto add = [&](Shown one) {
    const auto& kind = one.result.kind();
    if (kind.show == nullptr) {
      throw Error(fmt::format("{}: is a result of the kind {}, which has no page; leave it out",
                              one.origin, kind.name));
    }
    for (const auto& other : all) {
      if (&other.result.kind() != &kind) continue;
      throw Error(fmt::format(
          "{} and {} are both results of the same kind ({}); give a page to each of them",
          other.origin, one.origin, kind.name));
    }
    all.push_back(std::move(one));
  };
  for (const auto& [origin, result, depth, view, fans] : material.results) {
    if (result.kind().parts == nullptr) {
      add({origin, result, depth ? &*depth : nullptr, view ? &*view : nullptr,
           fans ? &*fans : nullptr});
      continue;
    }
    for (auto& part : result.kind().parts(result)) {
      add({fmt::format("{}, {}", origin, part.kind().name), part});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Shown& a, const Shown& b) {
    return a.result.kind().place < b.result.kind().place;
  });
  return all;
}

std::vector<const RunDepth*> runs_of(const Material& material) {
  std::vector<const RunDepth*> runs;
  for (const auto& result : material.results) {
    if (result.depth) runs.push_back(&*result.depth);
  }
  for (const auto& run : material.runs) runs.push_back(&run);
  return runs;
}

// Title, subtitle and sections of a page.
PageParts parts_of(const Material& material) {
  const auto shown = shown_of(material);
  PageParts parts;
  std::string origin, title, kinds;
  for (const auto& one : shown) {
    one.result.kind().show(one, parts);
    if (&one == &shown.front()) {
      origin = one.origin;
      title = parts.title;
    }
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", one.result.kind().name);
  }
  if (!material.forecasts.empty()) parts.add(curves_section(material.forecasts));
  std::move(parts.later.begin(), parts.later.end(), std::back_inserter(parts.sections));
  const auto runs = runs_of(material);
  if (!runs.empty()) {
    parts.add(depth_section(runs));
    if (auto restarts = restarts_section(runs)) parts.add(std::move(*restarts));
    kinds += kinds.empty() ? "a run in depth" : ", in depth";
  }
  if (!parts.summary.empty()) {
    parts.sections.insert(parts.sections.begin(), {"summary", "Summary", std::move(parts.summary)});
  }
  if (shown.empty()) {
    if (!material.runs.empty()) {
      origin = material.runs.front().title;
    } else if (!material.forecasts.empty()) {
      origin = material.forecasts.front().title;
    }
  }
  parts.title = title.empty() ? std::filesystem::path(origin).filename().string() : title;
  if (shown.size() != 1 || parts.subtitle.empty()) {
    parts.subtitle = "A report by pcgs: " + (kinds.empty() ? "forecasts" : kinds);
  }
  return parts;
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

std::vector<Section> sections(const Material& material) { return parts_of(material).sections; }

std::string page(const Material& material) {
  require_available();
  const auto [title_text, subtitle, summary, shown, later] = parts_of(material);
  const std::string title = escaped(title_text);

  std::string out = head(title, *assets());
  out += fmt::format("<body>\n<header><h1>{}</h1><p class=\"subtitle\">{}</p></header>\n", title,
                     escaped(subtitle));
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
