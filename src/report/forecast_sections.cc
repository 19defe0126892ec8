// Forecasts: what pcgs forecast found, and the curves of outcomes and forecasts of any run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "report/charts.h"
#include "report/report.h"
#include "report/sections.h"

namespace pcgs::report {

namespace {

// The expert with the lowest mean loss, of those that forecast at least half of the time: null if
// there is none.
const ordered_json* best_expert(const ordered_json& forecast) {
  const ordered_json* best = nullptr;
  const double there = forecast.at("rounds").get<double>() - forecast.at("gaps").get<double>();
  for (const auto& expert : forecast.at("experts")) {
    if (expert.at("mean_loss").is_null()) continue;
    if (2 * expert.at("rounds").get<double>() < there) continue;
    if (best == nullptr ||
        expert.at("mean_loss").get<double>() < best->at("mean_loss").get<double>()) {
      best = &expert;
    }
  }
  return best;
}

// Without its options where these are the usual ones.
std::string familiar_name(const std::string& method) {
  const std::string plain = method.substr(0, method.find('{'));
  try {
    return make_method(plain, 2)->name() == method ? plain : method;
  } catch (const Error&) {
    return method;  // of another version, or of somebody's own
  }
}

constexpr const char* kOutcome = "what came";

std::vector<Block> blocks_of(const ForecastCurves& curves, std::size_t index) {
  const std::string window = fmt::format("forecast-time-{}", index + 1);
  std::vector<std::string> lines = {kOutcome};
  ordered_json range = ordered_json::array({"#868e96"});
  ordered_json groups = ordered_json::array({curve(curves.outcome, "value", {{"line", kOutcome}})});
  ordered_json errors = ordered_json::array();
  const auto add = [&](const ForecastCurves::Forecaster& one, const std::string& name,
                       const char* color) {
    lines.push_back(name);
    range.push_back(color);
    groups.push_back(curve(one.forecast, "value", {{"line", name}}));
    errors.push_back(curve(one.error, "error", {{"line", name}}));
  };
  constexpr const char* kColors[kShownForecasts] = {"#e8590c", "#1c7ed6", "#2f9e44", "#b565c7"};
  for (const auto& one : curves.expert) add(one, "best expert: " + one.name, "#d4a017");
  for (std::size_t i = 0; i < curves.combined.size(); ++i) {
    add(curves.combined[i], "combined by " + curves.combined[i].name, kColors[i]);
  }

  const auto colored = [&](bool outcome) {
    ordered_json domain = lines, colors = range;
    if (!outcome) {
      domain.erase(0);
      colors.erase(0);
    }
    return ordered_json{{"field", "line"},
                        {"type", "nominal"},
                        {"title", nullptr},
                        {"sort", nullptr},
                        {"scale", {{"domain", domain}, {"range", colors}}}};
  };
  const ordered_json line = {
      {"type", "line"}, {"clip", true}, {"strokeWidth", 1.3}, {"opacity", 0.85}};
  const auto over_time = [&](const char* id, const char* field, const char* axis, bool outcome) {
    Chart chart;
    chart.id = fmt::format("{}-{}", id, index + 1);
    chart.window = window;
    chart.canvas = true;
    chart.groups = outcome ? groups : errors;
    ordered_json y = quantitative(field, axis);
    y["scale"] = {{"zero", !outcome}};
    chart.spec = {{"params", window_params(curves.first, curves.last)},
                  {"mark", line},
                  {"encoding", {{"x", time_axis()}, {"y", y}, {"color", colored(outcome)}}}};
    return chart;
  };

  Window chooser{window, curves.first, curves.last, {}};
  Chart& overview = chooser.overview;
  overview.id = window + "-overview";
  overview.title = "Choose a part of the series";
  overview.note = "Drag over the curve, or move the sliders; the charts below follow.";
  overview.alternative = fmt::format("{} over time.", curves.outcome_name);
  overview.height = 70;
  overview.canvas = true;
  overview.groups.push_back(curve(curves.outcome, "value"));
  const ordered_json brush = {
      {"name", "brush"},
      {"select", {{"type", "interval"}, {"encodings", ordered_json::array({"x"})}}}};
  overview.spec = {{"params", ordered_json::array({brush})},
                   {"mark", {{"type", "line"}, {"strokeWidth", 1}, {"color", "#868e96"}}},
                   {"encoding",
                    {{"x",
                      {{"field", "round"},
                       {"type", "quantitative"},
                       {"title", nullptr},
                       {"scale", {{"domain", {curves.first, curves.last}}, {"nice", false}}},
                       {"axis", {{"format", ",d"}, {"tickMinStep", 1}, {"grid", false}}}}},
                     {"y",
                      {{"field", "value"},
                       {"type", "quantitative"},
                       {"axis", nullptr},
                       {"scale", {{"zero", false}}}}}}}};

  Chart values = over_time("forecasts", "value", curves.outcome_name.c_str(), true);
  values.title = "Forecasts and what came";
  values.note = "Every forecast was made before its value was seen.";
  values.alternative =
      fmt::format("{} beside the combined forecast over time.", curves.outcome_name);
  Chart wrong = over_time("errors", "error", "forecast - outcome", false);
  wrong.title = "Errors";
  wrong.note = "Forecast less outcome; zero is perfect.";
  wrong.alternative = "Errors of the combined forecast and of the best expert over time.";
  return {std::move(chooser), std::move(values), std::move(wrong)};
}

}  // namespace

std::string best_expert_name(const ordered_json& forecast) {
  const ordered_json* best = best_expert(forecast);
  return best != nullptr ? best->at("name").get<std::string>() : "";
}

std::vector<Block> forecast_summary(const ordered_json& forecast, const RunDepth* depth) {
  std::vector<Block> blocks;
  const auto method = familiar_name(forecast.at("method").get<std::string>());
  const auto column = forecast.at("column").get<std::string>();
  const ordered_json* best = best_expert(forecast);
  std::string lead = fmt::format("{} experts, combined by {}, forecast {}",
                                 forecast.at("experts").size(), method, column);
  if (best != nullptr) {
    const double mine = best->at("combined_mean_loss").get<double>();
    const double other = best->at("mean_loss").get<double>();
    lead += fmt::format(
        " with a mean {} loss of {:.6g}, against {:.6g} of {}, the best of them, in the same "
        "rounds "
        "({:.1f} % {})",
        forecast.at("loss").get<std::string>(), mine, other, best->at("name").get<std::string>(),
        100 * std::abs(1 - mine / std::max(other, 1e-300)), mine <= other ? "less" : "more");
  }
  blocks.emplace_back(Paragraph{lead + ".", true});
  blocks.emplace_back(
      Figures{{{number(forecast.at("next"), "{:.6g}"), fmt::format("the next value of {}", column)},
               {number(forecast.at("mean_loss"), "{:.6g}"), "mean loss of the combined forecast"},
               {number(forecast.at("rounds"), "{:.0f}"), "rows of the series"},
               {number(forecast.at("gaps"), "{:.0f}"), "of them gaps"}}});
  if (depth != nullptr && !depth->methods.front().regret.y.empty()) {
    const MethodDepth& run = depth->methods.front();
    std::string text = fmt::format(
        "In bounded losses, {} is {:.2f} behind the exact best path of experts with at most {} "
        "switches in hindsight, over all rounds",
        method, run.regret.y.back(), depth->switches);
    if (run.certified_switches) {
      text += fmt::format("; proved, without any assumption on the series, to be at most {:.2f}",
                          run.bound.y.back());
    }
    blocks.emplace_back(Paragraph{text + "."});
  }
  return blocks;
}

Section forecast_section(const ordered_json& forecast) {
  Section section{"experts-section", "All experts", {}};
  Table table;
  table.id = "experts";
  table.caption =
      "Each expert over the rounds in which it forecast, beside the combined forecast in the same "
      "rounds; the weights are those of the next round";
  table.head = {{"expert", "name"},
                {"rounds", "rounds"},
                {"mean loss", "mean_loss"},
                {"combined, same rounds", "combined_mean_loss"},
                {"next forecast", "next_forecast"},
                {"weight", "next_weight"}};
  const ordered_json* best = best_expert(forecast);
  for (const auto& expert : forecast.at("experts")) {
    if (&expert == best) table.strong.push_back(table.rows.size());
    table.rows.push_back({{expert.at("name").get<std::string>()},
                          number(expert.at("rounds"), "{:.0f}"),
                          number(expert.at("mean_loss"), "{:.6g}"),
                          number(expert.at("combined_mean_loss"), "{:.6g}"),
                          number(expert.at("next_forecast"), "{:.6g}"),
                          number(expert.at("next_weight"), "{:.4f}")});
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section curves_section(const std::vector<ForecastCurves>& all) {
  Section section{"forecasts", "Forecasts", {}};
  if (all.size() == 1) {
    section.blocks = blocks_of(all.front(), 0);
    return section;
  }
  Choice choice{"forecasts-of", "Series", {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    choice.options.push_back({all[i].title, blocks_of(all[i], i)});
  }
  section.blocks.emplace_back(std::move(choice));
  return section;
}

}  // namespace pcgs::report
