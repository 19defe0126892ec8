#include "show/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pcgs/error.h"
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
  for (const auto& [origin, result, depth, charts] : material.results) {
    if (result.kind().parts == nullptr) {
      add({origin, result, depth ? &*depth : nullptr, charts.get()});
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
  const auto runs = runs_of(material);
  PageParts parts;
  std::string title, kinds;
  for (const auto& one : shown) {
    one.result.kind().show(one, parts);
    if (&one == &shown.front()) title = parts.title;
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", one.result.kind().name);
  }
  parts.add(std::move(parts.later));
  if (!runs.empty()) {
    parts.add(depth_section(runs));
    if (auto restarts = restarts_section(runs)) parts.add(std::move(*restarts));
    kinds += kinds.empty() ? "a run in depth" : ", in depth";
  }
  if (!parts.summary.empty()) {
    parts.sections.insert(parts.sections.begin(), {"summary", "Summary", std::move(parts.summary)});
  }
  if (title.empty()) {
    const std::string origin = !shown.empty() ? shown.front().origin
                               : runs.empty() ? ""
                                              : runs.front()->title;
    title = std::filesystem::path(origin).filename().string();
  }
  parts.title = title;
  if (shown.size() != 1 || parts.subtitle.empty()) {
    parts.subtitle = "A report by pcgs: " + kinds;
  }
  return parts;
}

}  // namespace

std::vector<Section> sections(const Material& material) { return parts_of(material).sections; }

std::string page(const Material& material) {
  require_available();
  const PageParts parts = parts_of(material);
  return document(parts.title, parts.subtitle, parts.sections);
}

std::string run_page(const Problem& problem, const Comparison& comparison, results::Result result,
                     RunDepth depth) {
  require_available();
  Material material;
  auto& added = material.results.emplace_back(Material::Result{problem.origin, std::move(result)});
  if (const auto& answer = added.result.get_if<results::RunResult>()->answer) {
    put_combination_first(depth);
    added.charts = std::make_shared<RoundCharts>(forecast_charts(problem, comparison, *answer));
  }
  // Where nothing has come, there is nothing that curves could show.
  if (problem.known() > 0) added.depth = std::move(depth);
  return page(material);
}

std::string run_page(const Problem& problem, const Comparison& comparison, results::Result result) {
  require_available();
  DepthObserver depth;
  compare::ComparisonOptions again;
  for (const MethodResult& method : comparison.methods) {
    again.methods.push_back(method.spec());
    again.called.push_back(method.name);
  }
  again.switches = comparison.switches;
  if (again.switches.empty()) again.switches = {compare::kUsualSwitches.back()};
  again.observers = {&depth};
  again.stretches = stretches_for(comparison.methods.size());
  compare::play_methods(problem, again);
  return run_page(problem, comparison, std::move(result), depth.take());
}

std::string series_page(results::Result result, const std::string& origin) {
  Material material;
  material.results.push_back({origin, std::move(result)});
  return page(material);
}

std::string quantile_page(const QuantileProblem& problem, const Matrix& published,
                          results::Result result) {
  require_available();
  Material material;
  material.results.push_back({problem.origin,
                              std::move(result),
                              {},
                              std::make_shared<RoundCharts>(fan_charts(problem, published))});
  return page(material);
}

void add_trace(RunDepth depth, const std::string& origin, Material& material) {
  const auto one = std::ranges::find_if(material.results, [](const Material::Result& result) {
    return result.result.get_if<results::RunResult>() != nullptr;
  });
  if (one == material.results.end()) {
    material.runs.push_back(std::move(depth));
    return;
  }
  const auto& run = *one->result.get_if<results::RunResult>();
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format(
        "{}: is not a trace of the run in {}: {}; give a trace of the same run, or a page to each",
        origin, one->origin, why));
  };
  if (depth.experts != run.experts) refuse("it has other experts");
  if (depth.rounds + run.skipped_rounds != run.rounds) {
    refuse(
        fmt::format("it has {} rounds, and not {}", depth.rounds, run.rounds - run.skipped_rounds));
  }
  for (const auto& method : depth.methods) {
    if (std::ranges::find(run.methods, method.name, &results::RunResult::Method::name) ==
        run.methods.end()) {
      refuse(fmt::format("it has {}, which is not among the methods", method.name));
    }
  }
  if (one->depth) {
    throw Error(
        fmt::format("{}: is a second trace of the run in {}; give one", origin, one->origin));
  }
  if (run.answer) put_combination_first(depth);
  one->depth = std::move(depth);
}

}  // namespace pcgs::report
