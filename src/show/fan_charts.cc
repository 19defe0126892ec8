#include "show/fan_charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "show/drawn.h"
#include "show/headline.h"
#include "show/time_charts.h"

namespace pcgs::report {

namespace {

const char* const kCame = "what came";

// "The 95 % interval held 93 of 100 outcomes."
std::string held_text(const FanView::Fan& fan) {
  if (fan.bands.empty()) return "";
  const auto& widest = fan.bands.back();
  std::size_t held = 0, all = 0;
  for (std::size_t i = 0; i < fan.at.size(); ++i) {
    if (std::isnan(fan.came[i]) || std::isnan(fan.middle[i])) continue;
    held += widest.low[i] <= fan.came[i] && fan.came[i] <= widest.high[i];
    ++all;
  }
  return fmt::format(" {} outcomes of {} lay in the widest band, {}.", held, all, widest.name);
}

Chart fan_chart(const FanView& view, const FanView::Fan& fan, std::size_t index) {
  Chart chart = over_time("fan", fmt::format("fan-{}", index + 1), "", fan.range);
  chart.canvas = false;
  chart.title = fan.key.empty() ? "What was forecast, and what came"
                                : "Forecasts of " + series_title(view.by, fan.key);
  chart.note = "Every forecast was made before its value was known.";
  if (fan.shown < fan.rounds) {
    chart.note += fmt::format(" The last {} of {} rounds.", fan.shown, fan.rounds);
  }
  if (fan.coming == 1) chart.note += " What comes last is not known yet.";
  if (fan.coming > 1) chart.note += fmt::format(" The last {} are not known yet.", fan.coming);
  chart.alternative = fmt::format("Combined forecasts and outcomes from {} to {}.",
                                  fan.when.front(), fan.when.back()) +
                      held_text(fan);
  chart.height = 320;
  std::vector<std::string> series = {kCame, view.middle};
  ordered_json row = {{"series", view.middle},
                      {"when", fan.when},
                      {"round", drawn(fan.at)},
                      {"middle", drawn(fan.middle)},
                      {"came", drawn(fan.came)}};
  // The widest is drawn first, below the others.
  ordered_json bands = ordered_json::array();
  for (auto band = fan.bands.rbegin(); band != fan.bands.rend(); ++band) {
    bands.push_back({{"series", band->name},
                     {"round", row["round"]},
                     {"low", drawn(band->low)},
                     {"high", drawn(band->high)}});
  }
  for (const auto& band : fan.bands) series.push_back(band.name);
  if (!fan.bands.empty()) {
    row["low"] = bands[0]["low"];
    row["high"] = bands[0]["high"];
    chart.values["widest"] = fan.bands.back().name;
  }
  chart.groups.push_back(std::move(row));
  chart.datasets = {{"bands", std::move(bands)}};
  chart.values.update({{"time", view.time},
                       {"axis", view.outcome},
                       {"middle", view.middle},
                       {"series", series},
                       {"palette", "fan"}});
  return chart;
}

}  // namespace

std::string series_title(const std::vector<std::string>& by, const std::vector<std::string>& key) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < key.size(); ++i) parts.push_back(by[i] + " " + key[i]);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<Block> fan_blocks(const FanView& view) {
  std::vector<Block> blocks;
  if (view.fans.size() == 1) {
    blocks.emplace_back(fan_chart(view, view.fans.front(), 0));
  } else if (!view.fans.empty()) {
    Choice choice{"fans-of", "Series", {}};
    for (std::size_t i = 0; i < view.fans.size(); ++i) {
      const auto& fan = view.fans[i];
      choice.options.push_back({series_title(view.by, fan.key), {fan_chart(view, fan, i)}});
    }
    blocks.emplace_back(std::move(choice));
  }
  if (!view.fans.empty() && view.fans.size() < view.series) {
    blocks.emplace_back(
        Paragraph{fmt::format("{} of {} series are here; forecasts.csv of --out has all.",
                              view.fans.size(), view.series)});
  }
  return blocks;
}

}  // namespace pcgs::report
