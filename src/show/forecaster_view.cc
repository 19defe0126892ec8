#include "show/forecaster_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>

#include "run/errors.h"

namespace pcgs::report {

namespace {

constexpr double kDay = 86400;  // seconds
constexpr std::size_t kGainStretches = 500;

// What one of those who are compared forecast in a round; NaN: nothing.
struct Line {
  std::string name;
  std::function<double(std::size_t t)> forecast;
};

std::optional<std::size_t> index_of(const std::vector<std::string>& names,
                                    const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return {};
  return static_cast<std::size_t>(at - names.begin());
}

std::string loss_name(const TaskLoss& task) {
  switch (task.kind()) {
    case TaskLoss::Kind::kSquared:
      return "squared error";
    case TaskLoss::Kind::kAbsolute:
      return "absolute error";
    case TaskLoss::Kind::kPinball:
      return "pinball loss";
    case TaskLoss::Kind::kLog:
      break;
  }
  return "log loss";
}

Points gain(const Problem& problem, const TimeAxis& axis, const Line& combination,
            const Line& other) {
  const std::size_t known = problem.known();
  ThinCurve curve(known, kGainStretches);
  double sum = 0;
  for (std::size_t t = 0; t < known; ++t) {
    const double y = problem.outcomes[t];
    const double ours = combination.forecast(t), theirs = other.forecast(t);
    if (!std::isnan(y) && !std::isnan(ours) && !std::isnan(theirs)) {
      const double more = problem.task(theirs, y) - problem.task(ours, y);
      // An infinite log loss would leave nothing to see of all other rounds.
      if (std::isfinite(more)) sum += more;
    }
    curve.add(axis.at[t], sum);
  }
  return curve.points();
}

// The bin of a time in seconds since 1970, which was a Thursday.
std::size_t hour_of(double at) {
  return static_cast<std::size_t>((at - kDay * std::floor(at / kDay)) / 3600);
}
std::size_t weekday_of(double at) {
  const double days = std::floor(at / kDay) + 3;
  return static_cast<std::size_t>(days - 7 * std::floor(days / 7));
}
std::size_t month_of(double at) {
  const std::chrono::sys_days day{std::chrono::days(static_cast<int>(std::floor(at / kDay)))};
  return static_cast<unsigned>(std::chrono::year_month_day(day).month()) - 1;
}

struct Binning {
  const char* by;
  std::vector<std::string> names;
  std::size_t (*bin_of)(double at);
};

std::vector<Binning> binnings() {
  std::vector<std::string> hours;
  for (int hour = 0; hour < 24; ++hour) hours.push_back(fmt::format("{:02}", hour));
  return {{"Hour of day", std::move(hours), hour_of},
          {"Weekday", {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}, weekday_of},
          {"Month",
           {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
           month_of}};
}

ForecasterView::Bins binned(const Problem& problem, const Binning& binning,
                            const std::vector<Line>& lines) {
  const std::size_t bins = binning.names.size();
  std::vector<std::vector<ErrorSums>> sums(lines.size(), std::vector<ErrorSums>(bins));
  std::vector<double> forecasts(lines.size());
  for (std::size_t t = 0; t < problem.known(); ++t) {
    const double y = problem.outcomes[t];
    if (std::isnan(y)) continue;
    for (std::size_t i = 0; i < lines.size(); ++i) forecasts[i] = lines[i].forecast(t);
    if (std::any_of(forecasts.begin(), forecasts.end(), [](double f) { return std::isnan(f); })) {
      continue;
    }
    const std::size_t bin = binning.bin_of(problem.times->at[t]);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      sums[i][bin].add(problem.task, forecasts[i], y);
    }
  }
  const ErrorMeasure measure = problem.task;
  ForecasterView::Bins out{binning.by, {}, {}};
  for (const Line& line : lines) out.lines.push_back({line.name, {}});
  for (std::size_t b = 0; b < bins; ++b) {
    if (sums.front()[b].rounds() == 0) continue;
    out.names.push_back(binning.names[b]);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out.lines[i].errors.push_back(measure(sums[i][b]));
    }
  }
  return out;
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

ForecasterView::Latest latest(const Problem& problem, const TimeAxis& axis,
                              const MethodResult& combination, const Line* best) {
  ForecasterView::Latest out;
  const std::size_t known = problem.known();
  const std::size_t first = first_of_latest(problem, axis, out.two_weeks);
  out.known = known - first;
  // What comes is to be seen, and not to push what came aside.
  const std::size_t most = std::max<std::size_t>(out.known, 48);
  out.coming = std::min(problem.rounds() - known, most);
  const std::size_t end = known + out.coming;
  out.range = {axis.at[first], axis.at[end - 1], axis.calendar};
  out.now = known > 0 ? axis.at[known - 1] : axis.at[first];
  const auto add = [&](Points& points, std::size_t t, double y) {
    points.x.push_back(axis.at[t]);
    points.y.push_back(y);
  };
  for (std::size_t t = first; t < end; ++t) {
    if (t < known) add(out.outcome, t, problem.outcomes[t]);
    add(out.combination, t, combination.forecasts[t]);
    if (best != nullptr) add(out.best, t, best->forecast(t));
  }
  if (!combination.intervals) return out;
  const auto& record = *combination.intervals;
  for (std::size_t i = record.levels.size(); i-- > 0;) {
    ForecasterView::Latest::Band band{record.levels[i], {}, {}, {}};
    bool any = false;
    for (std::size_t t = first; t < end; ++t) {
      band.at.push_back(axis.at[t]);
      band.low.push_back(record.low.row(t)[i]);
      band.high.push_back(record.high.row(t)[i]);
      any = any || std::isfinite(band.low.back());
    }
    if (any) out.bands.push_back(std::move(band));
  }
  return out;
}

std::vector<ForecasterView::Held> held_shares(const Problem& problem, const TimeAxis& axis,
                                              const IntervalRecord& record,
                                              std::size_t& rounds_in_part) {
  constexpr std::size_t kParts = 20, kFewest = 20;
  std::vector<ForecasterView::Held> out;
  for (std::size_t i = 0; i < record.levels.size(); ++i) {
    std::vector<std::size_t> judged;
    for (std::size_t t = 0; t < problem.known(); ++t) {
      if (!std::isnan(problem.outcomes[t]) && !std::isnan(record.low.row(t)[i])) {
        judged.push_back(t);
      }
    }
    const std::size_t parts = std::min(kParts, judged.size() / kFewest);
    if (parts < 3) return {};
    rounds_in_part = judged.size() / parts;
    ForecasterView::Held held{record.levels[i], {}};
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = part * judged.size() / parts;
      const std::size_t end = (part + 1) * judged.size() / parts;
      std::size_t inside = 0;
      for (std::size_t j = begin; j < end; ++j) {
        const double y = problem.outcomes[judged[j]];
        const bool is = y >= record.low.row(judged[j])[i] && y <= record.high.row(judged[j])[i];
        inside += is ? 1 : 0;
      }
      held.share.x.push_back(axis.at[judged[(begin + end) / 2]]);
      held.share.y.push_back(static_cast<double>(inside) / static_cast<double>(end - begin));
    }
    out.push_back(std::move(held));
  }
  return out;
}

}  // namespace

std::string best_model_name(const std::string& model) { return "best model: " + model; }

ForecasterView forecaster_view(const Problem& problem, const Comparison& comparison,
                               const results::ForecastAnswer& answer) {
  const MethodResult& combination = comparison.methods.back();
  const TimeAxis axis = time_axis(problem);
  ForecasterView view;
  view.loss = loss_name(problem.task);
  std::vector<Line> lines = {
      {kCombination, [&](std::size_t t) { return combination.forecasts[t]; }}};
  if (answer.beside_best) {
    if (const auto best = index_of(problem.experts, answer.beside_best->name)) {
      view.best_model = problem.experts[*best];
      lines.push_back({best_model_name(view.best_model),
                       [&problem, k = *best](std::size_t t) { return problem.values.row(t)[k]; }});
    }
  }
  const Line* best = lines.size() > 1 ? &lines[1] : nullptr;
  view.latest = latest(problem, axis, combination, best);
  if (const std::size_t known = problem.known(); known > 0) {
    view.range = {axis.at.front(), axis.at[known - 1], axis.calendar};
  } else {
    return view;
  }
  lines.push_back({kEqualWeights,
                   [&](std::size_t t) { return compare::mean_of_awake(problem.values.row(t)); }});
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const bool over_best = &lines[i] != &lines.back();
    view.gains.push_back({over_best ? view.best_model : kEqualWeights,
                          gain(problem, axis, lines.front(), lines[i])});
  }
  if (axis.calendar) {
    for (const Binning& binning : binnings()) {
      auto bins = binned(problem, binning, lines);
      if (bins.names.size() > 1) view.bins.push_back(std::move(bins));
    }
  }
  if (combination.intervals) {
    view.held = held_shares(problem, axis, *combination.intervals, view.rounds_in_part);
  }
  return view;
}

}  // namespace pcgs::report
