#include "show/fan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "run/quantiles.h"
#include "show/curves.h"
#include "show/forecast_answer.h"
#include "show/time_charts.h"

namespace pcgs::report {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// A row of a fan takes about 100 bytes of the page. More rounds than these would be less than three
// pixels wide each.
constexpr std::size_t kFans = 200, kRoundsOfAll = 12000, kMostRounds = 400;

// Which quantiles are drawn.
struct Drawn {
  struct Pair {
    std::string name;
    std::size_t low, high;  // levels
  };
  std::vector<Pair> bands;  // the narrowest first
  std::size_t middle = 0;
  std::string middle_name;
};

Drawn drawn_levels(const std::vector<double>& levels) {
  Drawn out;
  out.middle = static_cast<std::size_t>(
      std::ranges::min_element(levels, {}, [](double tau) { return std::abs(tau - 0.5); }) -
      levels.begin());
  const double middle = levels[out.middle];
  out.middle_name = std::abs(middle - 0.5) < 1e-9 ? "median" : fmt::format("quantile {:g}", middle);
  // Levels need not be symmetric as a whole for some of them to be pairs.
  std::vector<double> held;
  std::vector<Drawn::Pair> pairs;
  for (std::size_t low = 0; low < levels.size(); ++low) {
    for (std::size_t high = low + 1; high < levels.size(); ++high) {
      if (std::abs(levels[low] + levels[high] - 1) > 1e-9) continue;
      held.push_back(levels[high] - levels[low]);
      pairs.push_back({fmt::format("{:g} %", 100 * held.back()), low, high});
    }
  }
  for (const std::size_t i : compare::usual_intervals(held)) out.bands.push_back(pairs[i]);
  if (out.bands.empty() && levels.size() > 1) {
    out.bands.push_back({fmt::format("quantiles {:g} to {:g}", levels.front(), levels.back()), 0,
                         levels.size() - 1});
  }
  return out;
}

// Steps beyond this are pauses.
double longest_step(std::span<const double> at) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < at.size(); ++i) steps.push_back(at[i] - at[i - 1]);
  if (steps.empty()) return 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return 3 * *middle;
}

void add_row(FanView::Fan& fan, const Drawn& drawn, double at, const std::string& when,
             std::span<const double> quantiles, double came) {
  fan.at.push_back(at);
  fan.when.push_back(when);
  fan.came.push_back(came);
  const auto quantile = [&](std::size_t level) {
    return quantiles.empty() ? kNaN : quantiles[level];
  };
  fan.middle.push_back(quantile(drawn.middle));
  for (std::size_t b = 0; b < drawn.bands.size(); ++b) {
    fan.bands[b].low.push_back(quantile(drawn.bands[b].low));
    fan.bands[b].high.push_back(quantile(drawn.bands[b].high));
  }
}

FanView::Fan fan_of(const QuantileProblem& problem, const Matrix& published,
                    std::span<const std::size_t> rounds, const Drawn& drawn) {
  FanView::Fan fan;
  fan.shown = rounds.size();
  for (const auto& band : drawn.bands) fan.bands.push_back({band.name, {}, {}});
  TimeAxis axis;
  for (const std::size_t t : rounds) axis.at.push_back(problem.rounds[t].time);
  if (problem.calendar) axis = calendar_axis(axis.at);
  fan.range = axis.range();
  const double longest = longest_step(axis.at);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (i > 0 && axis.at[i] - axis.at[i - 1] > longest) {
      add_row(fan, drawn, (axis.at[i] + axis.at[i - 1]) / 2, "", {}, kNaN);
    }
    const auto& round = problem.rounds[rounds[i]];
    add_row(fan, drawn, axis.at[i], round.time_text, published.row(rounds[i]), round.outcome);
    fan.coming = std::isnan(round.outcome) ? fan.coming + 1 : 0;
  }
  return fan;
}

}  // namespace

FanView fan_view(const QuantileProblem& problem, const Matrix& published) {
  const auto by_series = compare::rounds_by_series(problem);
  const Drawn drawn = drawn_levels(problem.levels);
  FanView view;
  view.time = problem.time;
  view.outcome = problem.outcome;
  view.middle = drawn.middle_name;
  view.by = problem.by;
  view.series = by_series.size();
  const std::size_t most =
      std::min(kMostRounds, kRoundsOfAll / std::clamp<std::size_t>(by_series.size(), 1, kFans));
  for (std::size_t s = 0; s < by_series.size() && view.fans.size() < kFans; ++s) {
    const auto& rounds = by_series[s];
    const auto forecasts = std::ranges::count_if(
        rounds, [&](std::size_t t) { return !std::isnan(published.row(t)[0]); });
    if (forecasts < 2) continue;
    const std::size_t shown = std::min(rounds.size(), most);
    auto& fan =
        view.fans.emplace_back(fan_of(problem, published, std::span(rounds).last(shown), drawn));
    fan.key = problem.series[s];
    fan.rounds = rounds.size();
  }
  return view;
}

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
