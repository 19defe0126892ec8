#include "show/forecaster_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "show/curves.h"
#include "show/forecast_answer.h"
#include "show/sections.h"
#include "show/time_charts.h"

namespace pcgs::report {

namespace {

constexpr std::size_t kWeightsShown = 20;

std::string levels_text(const std::vector<ForecasterView::Latest::Band>& bands) {
  if (bands.empty()) return "";
  if (bands.size() == 1) {
    return fmt::format(" The band is the {:g} % interval.", 100 * bands.front().level);
  }
  return fmt::format(" The light band is the {:g} % interval, the darker one that of {:g} %.",
                     100 * bands.front().level, 100 * bands.back().level);
}

}  // namespace

Chart weights_chart(const results::ForecastAnswer& answer) {
  auto all = answer.weights_now.by_name;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) > std::abs(b.second);
  });
  if (all.size() > kWeightsShown) {
    double rest = 0;
    const std::size_t others = all.size() - kWeightsShown;
    for (std::size_t k = kWeightsShown; k < all.size(); ++k) rest += all[k].second;
    all.resize(kWeightsShown);
    all.emplace_back(fmt::format("{} others together", others), rest);
  }
  std::vector<std::string> names;
  std::vector<double> weights;
  for (const auto& [name, weight] : all) {
    names.push_back(name);
    weights.push_back(weight);
  }
  Chart chart;
  chart.uses = "bars";
  chart.id = "weights-now";
  chart.title = "Weights now";
  chart.note = "How much of the next forecast comes from each model.";
  chart.alternative = "Weights of the models in the next forecast, largest first:";
  for (std::size_t k = 0; k < std::min<std::size_t>(names.size(), 5); ++k) {
    chart.alternative +=
        fmt::format("{} {} {:.0f} %", k == 0 ? "" : ",", names[k], 100 * weights[k]);
  }
  chart.alternative += ".";
  chart.height = static_cast<int>(28 * names.size());
  chart.groups.push_back({{"name", names}, {"value", drawn(weights)}});
  const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
  chart.values = {{"names", names},
                  {"low", std::min(*low, 0.0)},
                  {"high", std::max(*high, 1e-6)},
                  {"left", *low < 0 ? 52 : 0}};  // room for the numbers at the ends of bars
  return chart;
}

Chart gains_chart(const ForecasterView& view) {
  Chart chart = over_time("gains", "gains-chart", "", view.range);
  chart.title = "What the combination has gained so far";
  chart.note = fmt::format(
      "The {} that it saved, summed up to each round: rising, it is the better of the two; "
      "falling, "
      "the other is.",
      view.loss);
  chart.height = 280;
  std::vector<std::string> series;
  for (const auto& gain : view.gains) {
    series.push_back("over " + gain.over);
    chart.groups.push_back(curve(gain.sum, {{"series", series.back()}}));
    chart.alternative += fmt::format("{} the combination has saved {} in {} over {}",
                                     chart.alternative.empty() ? "Up to the last round" : ", and",
                                     results::error_text(gain.sum.y.back()), view.loss, gain.over);
  }
  chart.alternative += ".";
  chart.values.update({{"axis", view.loss + " saved"},
                       {"series", series},
                       {"palette", series.size() == 2 ? "rivals" : "equal"}});
  return chart;
}

Choice bins_choice(const ForecasterView& view, const std::string& measure) {
  Choice choice{"errors-by", "Error by", {}};
  for (const auto& bins : view.bins) {
    std::string by = bins.by;
    by[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(by[0])));
    Chart chart;
    chart.uses = "bins";
    chart.id = fmt::format("errors-by-{}", choice.options.size() + 1);
    chart.title = fmt::format("{} by {}", measure, by);
    chart.note = "On the rounds that everybody here forecast; lower is better.";
    chart.height = 240;
    std::vector<std::string> series;
    for (const auto& line : bins.lines) {
      series.push_back(line.name);
      chart.groups.push_back(
          {{"series", line.name}, {"bin", bins.names}, {"value", drawn(line.errors)}});
    }
    const auto& errors = bins.lines.front().errors;
    const auto [low, high] = std::minmax_element(errors.begin(), errors.end());
    const auto name_at = [&](auto at) {
      return bins.names[static_cast<std::size_t>(at - errors.begin())];
    };
    chart.alternative = fmt::format("{} of the combination by {}: from {} ({}) to {} ({}).",
                                    measure, by, results::error_text(*low), name_at(low),
                                    results::error_text(*high), name_at(high));
    chart.values = {{"axis", measure},
                    {"names", bins.names},
                    {"series", series},
                    {"palette", series.size() == 3 ? "forecasters" : "rivals"}};
    choice.options.push_back({bins.by, {std::move(chart)}});
  }
  return choice;
}

Chart latest_chart(const ForecasterView& view) {
  const auto& latest = view.latest;
  const char* const came = "what came";
  Chart chart = over_time("latest", "latest-chart", "", latest.range);
  chart.title = latest.known == 0   ? "What is to come"
                : latest.two_weeks  ? "The last two weeks"
                : latest.known == 1 ? "The last round"
                                    : fmt::format("The last {} rounds", latest.known);
  if (latest.known > 0 && latest.coming > 0) chart.title += ", and what is to come";
  chart.note = "Every forecast was made before its value was known.";
  if (latest.known > 0 && latest.coming > 0) {
    chart.note += " Right of the dashed line no value is known yet.";
  }
  chart.note += levels_text(latest.bands);
  chart.alternative = fmt::format(
      "Forecasts of the combination beside what came in the last {} rounds, and {} to come.",
      latest.known, latest.coming);
  chart.height = 320;
  std::vector<std::string> series = {came, kCombination};
  if (!latest.best.x.empty()) {
    series.insert(series.begin() + 1, best_model_name(view.best_model));
    chart.groups.push_back(curve(latest.best, {{"series", series[1]}, {"width", 1}}));
  }
  chart.groups.push_back(curve(latest.combination, {{"series", kCombination}, {"width", 2}}));
  chart.groups.push_back(curve(latest.outcome, {{"series", came}, {"width", 1.25}}));
  ordered_json bands = ordered_json::array();
  for (const auto& band : latest.bands) {
    bands.push_back({{"level", fmt::format("{:g} %", 100 * band.level)},
                     {"round", drawn(band.at)},
                     {"low", drawn(band.low)},
                     {"high", drawn(band.high)}});
  }
  ordered_json now = ordered_json::array();
  if (latest.known > 0 && latest.coming > 0) {
    now.push_back({{"round", drawn(std::vector<double>{latest.now})}});
  }
  chart.datasets = {
      {"bands", bands}, {"now", now}, {"outcomes", ordered_json::array({curve(latest.outcome)})}};
  chart.values.update({{"axis", "forecast and outcome"},
                       {"series", series},
                       {"palette", series.size() == 3 ? "latest" : "latest_alone"}});
  return chart;
}

Chart held_chart(const ForecasterView& view) {
  Chart chart = over_time("held", "held-chart", "", view.range);
  chart.canvas = false;
  chart.title = "Outcomes inside the intervals";
  chart.note = fmt::format(
      "Each dot is the share in a part of about {} rounds; the dashed line is the share that was "
      "asked for. Some scatter around it is chance.",
      view.rounds_in_part);
  chart.height = 240;
  std::vector<std::string> series;
  std::vector<double> levels;
  for (const auto& held : view.held) {
    series.push_back(fmt::format("{:g} % intervals", 100 * held.level));
    levels.push_back(held.level);
    std::vector<std::string> around;
    for (const double x : held.share.x) around.push_back(place_text(view.range.calendar, x));
    chart.groups.push_back(curve(held.share, {{"series", series.back()}, {"around", around}}));
    const auto [low, high] = std::minmax_element(held.share.y.begin(), held.share.y.end());
    chart.alternative +=
        fmt::format("{}{} held between {:.0f} and {:.0f} % of outcomes.",
                    chart.alternative.empty() ? "" : " ", series.back(), 100 * *low, 100 * *high);
  }
  chart.datasets = {{"asked", ordered_json::array({{{"series", series}, {"level", levels}}})}};
  chart.values.update({{"axis", "outcomes inside"}, {"series", series}, {"palette", "levels"}});
  return chart;
}

// What was forecast beside what came, over time.

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
