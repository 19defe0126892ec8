// Fan charts: the combined distributions of each series over time beside what came.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "run/quantiles.h"
#include "show/blocks.h"
#include "show/curves.h"
#include "show/forecast_answer.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// A row of a fan takes about 100 bytes of the page. More rounds than these would be less than three
// pixels wide each.
constexpr std::size_t kFans = 200, kRoundsOfAll = 12000, kMostRounds = 400;

// Which quantiles are drawn.
struct Drawn {
  struct Band {
    std::string name;       // "80 %"
    std::size_t low, high;  // levels
  };
  std::vector<Band> bands;  // the narrowest first
  std::size_t middle = 0;
  std::string middle_name;  // "median", or the level that is nearest to it
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
  std::vector<Drawn::Band> pairs;
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

// "location 06, horizon 2"
std::string series_title(const std::vector<std::string>& by, const std::vector<std::string>& key) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < key.size(); ++i) parts.push_back(by[i] + " " + key[i]);
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The latest `shown` rounds of a series. Where it pauses, as between two seasons, stands a row of NaN, so
// that nothing is drawn there.
Chart fan_chart(const QuantileProblem& problem, const Matrix& published,
                std::span<const std::size_t> rounds, std::size_t shown, const Drawn& levels,
                std::size_t index) {
  const std::size_t all = rounds.size();
  rounds = rounds.last(shown);
  TimeAxis axis;
  for (const std::size_t t : rounds) axis.at.push_back(problem.rounds[t].time);
  if (problem.calendar) axis = calendar_axis(axis.at);
  const double longest = longest_step(axis.at);
  const std::size_t pairs = levels.bands.size();
  std::vector<std::string> when;
  std::vector<double> at, middle, came;
  std::vector<std::vector<double>> low(pairs), high(pairs);
  const auto add = [&](double x, const std::string& time, std::span<const double> quantiles,
                       double outcome) {
    at.push_back(x);
    when.push_back(time);
    came.push_back(outcome);
    const auto quantile = [&](std::size_t p) { return quantiles.empty() ? kNaN : quantiles[p]; };
    middle.push_back(quantile(levels.middle));
    for (std::size_t b = 0; b < pairs; ++b) {
      low[b].push_back(quantile(levels.bands[b].low));
      high[b].push_back(quantile(levels.bands[b].high));
    }
  };
  std::size_t coming = 0, held = 0, judged = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (i > 0 && axis.at[i] - axis.at[i - 1] > longest) {
      add((axis.at[i] + axis.at[i - 1]) / 2, "", {}, kNaN);
    }
    const auto& round = problem.rounds[rounds[i]];
    add(axis.at[i], round.time_text, published.row(rounds[i]), round.outcome);
    coming = std::isnan(round.outcome) ? coming + 1 : 0;
    if (pairs == 0 || std::isnan(round.outcome) || std::isnan(middle.back())) continue;
    held += low.back().back() <= round.outcome && round.outcome <= high.back().back();
    ++judged;
  }

  Chart chart = over_time("fan", fmt::format("fan-{}", index + 1), axis.range());
  chart.canvas = false;
  const auto& key = problem.series[problem.rounds[rounds.front()].series];
  chart.title = key.empty() ? "What was forecast, and what came"
                            : "Forecasts of " + series_title(problem.by, key);
  chart.note = "Every forecast was made before its value was known.";
  if (shown < all) chart.note += fmt::format(" The last {} of {} rounds.", shown, all);
  if (coming == 1) chart.note += " What comes last is not known yet.";
  if (coming > 1) chart.note += fmt::format(" The last {} are not known yet.", coming);
  chart.alternative =
      fmt::format("Combined forecasts and outcomes from {} to {}.", when.front(), when.back());
  chart.height = 320;
  chart.values.update({{"time", problem.time},
                       {"axis", problem.outcome},
                       {"middle", levels.middle_name},
                       {"series", {"what came", levels.middle_name}},
                       {"palette", "fan"}});
  ordered_json row = {{"series", levels.middle_name},
                      {"when", when},
                      {"round", drawn(at)},
                      {"middle", drawn(middle)},
                      {"came", drawn(came)}};
  // The widest is drawn first, below the others.
  ordered_json bands = ordered_json::array();
  for (std::size_t b = pairs; b-- > 0;) {
    bands.push_back({{"series", levels.bands[b].name},
                     {"round", row["round"]},
                     {"low", drawn(low[b])},
                     {"high", drawn(high[b])}});
  }
  for (const auto& band : levels.bands) chart.values["series"].push_back(band.name);
  if (pairs > 0) {
    const std::string& widest = levels.bands.back().name;
    chart.alternative +=
        fmt::format(" {} outcomes of {} lay in the widest band, {}.", held, judged, widest);
    chart.values["widest"] = widest;
    row["low"] = bands[0]["low"];
    row["high"] = bands[0]["high"];
  }
  chart.groups.push_back(std::move(row));
  chart.datasets = {{"bands", std::move(bands)}};
  return chart;
}

}  // namespace

RoundCharts fan_charts(const QuantileProblem& problem, const Matrix& published) {
  const auto by_series = compare::rounds_by_series(problem);
  const Drawn levels = drawn_levels(problem.levels);
  const std::size_t most =
      std::min(kMostRounds, kRoundsOfAll / std::clamp<std::size_t>(by_series.size(), 1, kFans));
  Choice choice{"fans-of", "Series", {}};
  for (std::size_t s = 0; s < by_series.size() && choice.options.size() < kFans; ++s) {
    const auto& rounds = by_series[s];
    const auto forecasts = std::ranges::count_if(
        rounds, [&](std::size_t t) { return !std::isnan(published.row(t)[0]); });
    if (forecasts < 2) continue;
    Chart chart = fan_chart(problem, published, rounds, std::min(rounds.size(), most), levels,
                            choice.options.size());
    choice.options.push_back({series_title(problem.by, problem.series[s]), {std::move(chart)}});
  }
  RoundCharts charts;
  const std::size_t fans = choice.options.size();
  if (fans == 1) charts.fans = std::move(choice.options.front().blocks);
  if (fans > 1) charts.fans.emplace_back(std::move(choice));
  if (fans > 0 && fans < by_series.size()) {
    charts.fans.emplace_back(Paragraph{fmt::format(
        "{} of {} series are here; forecasts.csv of --out has all.", fans, by_series.size())});
  }
  return charts;
}

}  // namespace pcgs::report
