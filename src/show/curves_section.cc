// What was forecast beside what came, over time.
#include <fmt/format.h>

#include "show/sections.h"
#include "show/time_charts.h"

namespace pcgs::report {

namespace {

std::vector<Block> blocks_of(const ForecastCurves& curves, std::size_t index) {
  const std::string window = fmt::format("forecast-time-{}", index + 1), outcome = "what came";
  const auto chart_of = [&](const char* id, const std::string& axis, const char* palette) {
    Chart chart = over_time("lines", fmt::format("{}-{}", id, index + 1), window, curves.range);
    chart.values.update({{"axis", axis}, {"palette", palette}});
    return chart;
  };
  Chart forecasts = chart_of("forecasts", curves.outcome_name, "forecasts");
  forecasts.title = "Forecasts and what came";
  forecasts.note = "Every forecast was made before its value was seen.";
  forecasts.alternative =
      fmt::format("{} beside the combined forecast over time.", curves.outcome_name);
  forecasts.values["zero"] = false;
  Chart errors = chart_of("errors", "forecast - outcome", "errors");
  errors.title = "Errors";
  errors.note = "Forecast less outcome; zero is perfect.";
  errors.alternative = "Errors of the combined forecast and of the best model over time.";

  std::vector<std::string> lines = {outcome};
  forecasts.groups.push_back(curve(curves.outcome, {{"series", outcome}}));
  const auto add = [&](const ForecastCurves::Forecaster& one, const char* what) {
    lines.push_back(what + one.name);
    forecasts.groups.push_back(curve(one.forecast, {{"series", lines.back()}}));
    errors.groups.push_back(curve(one.error, {{"series", lines.back()}}));
  };
  for (const auto& one : curves.expert) add(one, "best model: ");
  for (const auto& one : curves.combined) add(one, "combined by ");
  forecasts.values["series"] = lines;
  errors.values["series"] = std::vector<std::string>(lines.begin() + 1, lines.end());

  Window chooser =
      time_window(window, curves.range, "series", ordered_json::array({forecasts.groups.front()}),
                  {outcome}, "outcome");
  chooser.overview.alternative = fmt::format("{} over time.", curves.outcome_name);
  return {std::move(chooser), std::move(forecasts), std::move(errors)};
}

}  // namespace

Section curves_section(const std::vector<ForecastCurves>& all) {
  Section section{"forecasts", "All forecasts", {}};
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
