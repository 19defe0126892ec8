// What somebody who forecasts sees first, drawn from the rounds: the combination beside the best model and
// equal weights.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "run/errors.h"
#include "show/forecast_answer.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

constexpr double kDay = 86400;  // seconds
constexpr const char* kCame = "what came";

// What one of those who are compared forecast; NaN: nothing.
struct Line {
  std::string name, label;
  std::vector<double> forecasts;  // [T]
};

std::string loss_name(const TaskLoss& task) {
  const auto kind = task.kind();
  return kind == TaskLoss::Kind::kSquared    ? "squared error"
         : kind == TaskLoss::Kind::kAbsolute ? "absolute error"
         : kind == TaskLoss::Kind::kPinball  ? "pinball loss"
                                             : "log loss";
}

// The loss of another less that of the combination, summed over the rounds so far.
Points gain(const Problem& problem, const TimeAxis& axis, const Line& ours, const Line& theirs) {
  constexpr std::size_t kStretches = 500;
  Points out;
  double sum = 0;
  for (std::size_t t = 0; t < problem.known(); ++t) {
    const double y = problem.outcomes[t], one = ours.forecasts[t], other = theirs.forecasts[t];
    if (!std::isnan(y) && !std::isnan(one) && !std::isnan(other)) {
      const double more = problem.task(other, y) - problem.task(one, y);
      // An infinite log loss would leave nothing to see of all other rounds.
      if (std::isfinite(more)) sum += more;
    }
    out.add(axis.at[t], sum);
  }
  return thin(out, problem.known(), kStretches);
}

Chart gains_chart(const Problem& problem, const TimeAxis& axis, const std::vector<Line>& lines) {
  const std::string loss = loss_name(problem.task);
  Chart chart = over_time("gains", "gains-chart",
                          {axis.at.front(), axis.at[problem.known() - 1], axis.calendar});
  chart.title = "What the combination has gained so far";
  chart.note = fmt::format(
      "The {} that it saved, summed up to each round: rising, it is the better of the two; "
      "falling, the other is.",
      loss);
  chart.height = 280;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Points sum = gain(problem, axis, lines[0], lines[i]);
    chart.add_line("over " + lines[i].name, sum);
    chart.alternative += fmt::format("{} the combination has saved {} in {} over {}",
                                     i == 1 ? "Up to the last round" : ", and",
                                     results::error_text(sum.y.back()), loss, lines[i].name);
  }
  chart.alternative += ".";
  chart.values.update(
      {{"axis", loss + " saved"}, {"palette", lines.size() == 3 ? "rivals" : "equal"}});
  return chart;
}

std::chrono::sys_days day_of(double at) {
  return std::chrono::sys_days(std::chrono::days(static_cast<int>(std::floor(at / kDay))));
}

// The bin of a time in seconds since 1970.
std::size_t hour_of(double at) {
  return static_cast<std::size_t>((at - kDay * std::floor(at / kDay)) / 3600);
}
std::size_t weekday_of(double at) { return std::chrono::weekday(day_of(at)).iso_encoding() - 1; }
std::size_t month_of(double at) {
  return static_cast<unsigned>(std::chrono::year_month_day(day_of(at)).month()) - 1;
}

struct Binning {
  const char *name, *by;
  std::vector<std::string> names;
  std::size_t (*bin_of)(double at);
};

std::vector<Binning> binnings() {
  std::vector<std::string> hours;
  for (int hour = 0; hour < 24; ++hour) hours.push_back(fmt::format("{:02}", hour));
  return {{"Hour of day", "hour of day", std::move(hours), hour_of},
          {"Weekday", "weekday", {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}, weekday_of},
          {"Month",
           "month",
           {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
           month_of}};
}

// Errors at each hour of the day, or the like, on the rounds of everybody who is shown. No groups
// where all rounds are in one bin.
Chart bins_chart(const Problem& problem, const Binning& binning, const std::vector<Line>& lines,
                 const std::string& measure) {
  std::vector<std::vector<ErrorSums>> sums(binning.names.size());
  for (auto& bin : sums) bin.resize(lines.size());
  for (std::size_t t = 0; t < problem.known(); ++t) {
    const double y = problem.outcomes[t];
    if (std::isnan(y) || std::ranges::any_of(lines, [&](const Line& line) {
          return std::isnan(line.forecasts[t]);
        })) {
      continue;
    }
    auto& bin = sums[binning.bin_of(problem.times->at[t])];
    for (std::size_t i = 0; i < lines.size(); ++i) {
      bin[i].add(problem.task, lines[i].forecasts[t], y);
    }
  }
  Chart chart;
  std::vector<std::string> names;
  std::vector<std::vector<double>> errors(lines.size());
  for (std::size_t b = 0; b < sums.size(); ++b) {
    if (sums[b].front().rounds() == 0) continue;
    names.push_back(binning.names[b]);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      errors[i].push_back(ErrorMeasure(problem.task)(sums[b][i]));
    }
  }
  if (names.size() < 2) return chart;
  chart.uses = "bins";
  chart.title = fmt::format("{} by {}", measure, binning.by);
  chart.note = "On the rounds that everybody here forecast; lower is better.";
  chart.height = 240;
  chart.values = {{"axis", measure},
                  {"names", names},
                  {"palette", lines.size() == 3 ? "forecasters" : "rivals"}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    chart.values["series"].push_back(lines[i].label);
    chart.groups.push_back(
        {{"series", lines[i].label}, {"bin", names}, {"value", drawn(errors[i])}});
  }
  const auto [low, high] = std::ranges::minmax_element(errors.front());
  const auto at = [&](auto one) { return static_cast<std::size_t>(one - errors.front().begin()); };
  chart.alternative = fmt::format("{} of the combination by {}: from {} ({}) to {} ({}).", measure,
                                  binning.by, results::error_text(*low), names[at(low)],
                                  results::error_text(*high), names[at(high)]);
  return chart;
}

std::vector<Block> errors_by(const Problem& problem, const std::vector<Line>& lines,
                             const std::string& measure) {
  Choice choice{"errors-by", "Error by", {}};
  for (const Binning& binning : binnings()) {
    Chart chart = bins_chart(problem, binning, lines, measure);
    if (chart.groups.empty()) continue;
    chart.id = fmt::format("errors-by-{}", choice.options.size() + 1);
    choice.options.push_back({binning.name, {std::move(chart)}});
  }
  std::vector<Block> blocks;
  if (!choice.options.empty()) blocks.emplace_back(std::move(choice));
  return blocks;
}

// From which round on rounds are the latest.
std::size_t first_of_latest(const Problem& problem, const TimeAxis& axis, bool& two_weeks) {
  // Days would show little of daily values, and of values of each second too much.
  constexpr std::size_t kFewest = 48, kMost = 2000, kUsual = 336, kOfSlow = 60;
  const std::size_t known = problem.known();
  const auto last = [&](std::size_t rounds) { return known - std::min(known, rounds); };
  if (!axis.calendar || known == 0) return last(kUsual);
  const auto& at = problem.times->at;
  const auto from = std::upper_bound(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(known),
                                     at[known - 1] - 14 * kDay);
  const auto first = static_cast<std::size_t>(from - at.begin());
  if (known - first < kFewest) return last(kOfSlow);
  two_weeks = known - first <= kMost && first > 0;
  return std::max(first, last(kMost));
}

// The last rounds whose outcome is known, and those to come, with their intervals.
Chart latest_chart(const Problem& problem, const TimeAxis& axis, const MethodResult& combination,
                   const std::vector<Line>& lines, const Line* best) {
  bool two_weeks = false;
  const std::size_t end_of_known = problem.known();
  const std::size_t first = first_of_latest(problem, axis, two_weeks);
  const std::size_t known = end_of_known - first;
  // What comes is to be seen, and not to push what came aside.
  const std::size_t coming =
      std::min(problem.rounds() - end_of_known, std::max<std::size_t>(known, 48));
  const std::size_t end = end_of_known + coming;
  const auto part = [&](const std::vector<double>& values, std::size_t to) {
    Points points;
    for (std::size_t t = first; t < to; ++t) points.add(axis.at[t], values[t]);
    return points;
  };
  const Points outcomes = part(problem.outcomes, end_of_known);

  Chart chart =
      over_time("latest", "latest-chart", {axis.at[first], axis.at[end - 1], axis.calendar});
  chart.title = known == 0   ? "What is to come"
                : two_weeks  ? "The last two weeks"
                : known == 1 ? "The last round"
                             : fmt::format("The last {} rounds", known);
  chart.note = "Every forecast was made before its value was known.";
  ordered_json bands = ordered_json::array(), now = ordered_json::array();
  if (known > 0 && coming > 0) {
    chart.title += ", and what is to come";
    chart.note += " Right of the dashed line no value is known yet.";
    now.push_back({{"round", drawn({axis.at[end_of_known - 1]})}});
  }
  chart.alternative = fmt::format(
      "Forecasts of the combination beside what came in the last {} rounds, and {} to come.", known,
      coming);
  chart.height = 320;

  // The widest band comes first.
  std::vector<double> levels;
  for (std::size_t i = combination.intervals ? combination.intervals->levels.size() : 0; i-- > 0;) {
    const auto& record = *combination.intervals;
    std::vector<double> at, low, high;
    for (std::size_t t = first; t < end; ++t) {
      at.push_back(axis.at[t]);
      low.push_back(record.low.row(t)[i]);
      high.push_back(record.high.row(t)[i]);
    }
    if (std::ranges::none_of(low, [](double x) { return std::isfinite(x); })) continue;
    levels.push_back(100 * record.levels[i]);
    bands.push_back({{"level", fmt::format("{:g} %", levels.back())},
                     {"round", drawn(at)},
                     {"low", drawn(low)},
                     {"high", drawn(high)}});
  }
  if (levels.size() == 1) {
    chart.note += fmt::format(" The band is the {:g} % interval.", levels.front());
  } else if (levels.size() > 1) {
    chart.note +=
        fmt::format(" The light band is the {:g} % interval, the darker one that of {:g} %.",
                    levels.front(), levels.back());
  }

  if (best != nullptr) chart.add_line(best->label, part(best->forecasts, end), {{"width", 1}});
  chart.add_line(kCombination, part(lines.front().forecasts, end), {{"width", 2}});
  chart.add_line(kCame, outcomes, {{"width", 1.25}});
  std::vector<std::string> series = {kCame, kCombination};
  if (best != nullptr) series.insert(series.begin() + 1, best->label);
  chart.datasets = {{"bands", bands},
                    {"now", now},
                    {"outcomes", {{{"round", drawn(outcomes.x)}, {"value", drawn(outcomes.y)}}}}};
  chart.values.update({{"axis", "forecast and outcome"},
                       {"series", series},
                       {"palette", best != nullptr ? "latest" : "latest_alone"}});
  return chart;
}

// How many outcomes lay inside the intervals of a level, in equal parts of the run. None where there
// are too few rounds.
std::vector<Block> held_charts(const Problem& problem, const TimeAxis& axis,
                               const IntervalRecord& record) {
  constexpr std::size_t kParts = 20, kFewest = 20;
  Chart chart = over_time("held", "held-chart",
                          {axis.at.front(), axis.at[problem.known() - 1], axis.calendar});
  chart.canvas = false;
  chart.title = "Outcomes inside the intervals";
  chart.height = 240;
  chart.values.update({{"axis", "outcomes inside"}, {"palette", "levels"}});
  for (std::size_t i = 0; i < record.levels.size(); ++i) {
    std::vector<std::size_t> judged;
    for (std::size_t t = 0; t < problem.known(); ++t) {
      if (!std::isnan(problem.outcomes[t]) && !std::isnan(record.low.row(t)[i])) {
        judged.push_back(t);
      }
    }
    const std::size_t parts = std::min(kParts, judged.size() / kFewest);
    if (parts < 3) return {};
    chart.note = fmt::format(
        "Each dot is the share in a part of about {} rounds; the dashed line is the share that was "
        "asked for. Some scatter around it is chance.",
        judged.size() / parts);
    Points share;
    std::vector<std::string> around;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = part * judged.size() / parts;
      const std::size_t end = (part + 1) * judged.size() / parts;
      const auto inside =
          std::count_if(judged.begin() + static_cast<std::ptrdiff_t>(begin),
                        judged.begin() + static_cast<std::ptrdiff_t>(end), [&](std::size_t t) {
                          const double y = problem.outcomes[t];
                          return y >= record.low.row(t)[i] && y <= record.high.row(t)[i];
                        });
      share.add(axis.at[judged[(begin + end) / 2]],
                static_cast<double>(inside) / static_cast<double>(end - begin));
      around.push_back(place_text(axis.calendar, share.x.back()));
    }
    const std::string name = fmt::format("{:g} % intervals", 100 * record.levels[i]);
    chart.add_line(name, share, {{"around", around}});
    const auto [low, high] = std::ranges::minmax_element(share.y);
    chart.alternative +=
        fmt::format("{}{} held between {:.0f} and {:.0f} % of outcomes.",
                    chart.alternative.empty() ? "" : " ", name, 100 * *low, 100 * *high);
  }
  chart.datasets = {{"asked", {{{"series", chart.values["series"]}, {"level", record.levels}}}}};
  return {chart};
}

// What was forecast beside what came, over time: by the first few methods, of which lines can still be
// told apart, the combination first, and by the best model.
std::vector<Block> all_forecasts(const Problem& problem, const TimeAxis& axis,
                                 const std::vector<MethodResult>& methods, const Line* best) {
  constexpr std::size_t kMethodsShown = 4;
  const std::size_t shown = std::min(methods.size(), kMethodsShown);
  // A page stays below a few megabytes, and a week of a few years of hours can still be looked at.
  const std::size_t buckets = 15000 / (2 * shown + 3);
  const auto chart_of = [&](const char* id, const char* axis_title, const char* palette) {
    Chart chart = over_time("lines", id, axis.range());
    chart.window = "forecast-time-1";
    chart.values.update({{"axis", axis_title}, {"palette", palette}});
    return chart;
  };
  const auto thinned = [&](const std::vector<double>& values) {
    return thin({axis.at, values}, values.size(), buckets);
  };
  Chart forecasts = chart_of("forecasts-1", "outcome", "forecasts");
  forecasts.title = "Forecasts and what came";
  forecasts.note = "Every forecast was made before its value was seen.";
  forecasts.alternative = "outcome beside the combined forecast over time.";
  forecasts.values["zero"] = false;
  Chart errors = chart_of("errors-1", "forecast - outcome", "errors");
  errors.title = "Errors";
  errors.note = "Forecast less outcome; zero is perfect.";
  errors.alternative = "Errors of the combined forecast and of the best model over time.";

  forecasts.add_line(kCame, thinned(problem.outcomes));
  Window chooser = time_window(forecasts, "series");
  chooser.overview.alternative = "outcome over time.";
  chooser.overview.values["palette"] = "outcome";
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    std::vector<double> misses;
    for (std::size_t t = 0; t < values.size(); ++t) {
      misses.push_back(values[t] - problem.outcomes[t]);
    }
    forecasts.add_line(name, thinned(values));
    errors.add_line(name, thinned(misses));
  };
  if (best != nullptr) add(best->label, best->forecasts);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& method = i == 0 ? methods.back() : methods[i - 1];
    add("combined by " + method.name, method.forecasts);
  }
  return {std::move(chooser), std::move(forecasts), std::move(errors)};
}

}  // namespace

RoundCharts forecast_charts(const Problem& problem, const Comparison& comparison,
                            const results::ForecastAnswer& answer) {
  const MethodResult& combination = comparison.methods.back();
  const TimeAxis axis = time_axis(problem);
  std::vector<Line> lines = {{kCombination, kCombination, combination.forecasts}};
  const auto& experts = problem.experts;
  const auto at =
      answer.beside_best ? std::ranges::find(experts, answer.beside_best->name) : experts.end();
  const bool any_best = at != experts.end();
  if (any_best) lines.push_back({*at, "best model: " + *at, {}});
  lines.push_back({kEqualWeights, kEqualWeights, {}});
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    const auto row = problem.values.row(t);
    if (any_best) lines[1].forecasts.push_back(row[static_cast<std::size_t>(at - experts.begin())]);
    lines.back().forecasts.push_back(compare::mean_of_awake(row));
  }
  const Line* best = any_best ? &lines[1] : nullptr;
  RoundCharts charts;
  charts.latest = {latest_chart(problem, axis, combination, lines, best)};
  if (problem.known() == 0) return charts;  // nothing has come that curves could show
  charts.gains = {gains_chart(problem, axis, lines)};
  if (axis.calendar) charts.errors_by = errors_by(problem, lines, answer.measure);
  if (combination.intervals) charts.held = held_charts(problem, axis, *combination.intervals);
  charts.forecasts = all_forecasts(problem, axis, comparison.methods, best);
  return charts;
}

}  // namespace pcgs::report
