#include "run/long_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pcgs/error.h"
#include "run/numbering.h"

namespace pcgs::compare {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check(const Problem& problem) {
  if (!problem.times) {
    throw Error(fmt::format(
        "{}: in long format the rows of one round have one time; name its column with --time",
        problem.origin));
  }
  if (problem.experts.size() != 1) {
    throw Error(fmt::format(
        "{}: in long format one column holds the forecasts, and here are {}; leave the others out "
        "with --ignore, or name it with --experts",
        problem.origin, fmt::join(problem.experts, ", ")));
  }
  if (!problem.has_forecasts()) {
    throw Error(
        fmt::format("{}: long format is for forecasts; name the outcome with --y", problem.origin));
  }
  if (problem.side.columns > 0) {
    throw Error(
        fmt::format("{}: long format takes no --side; give it with --side-file", problem.origin));
  }
}

}  // namespace

void widen(Problem& problem, const io::TextColumn& experts, std::vector<io::TextColumn>& by) {
  check(problem);
  const std::size_t rows = problem.rounds();
  std::vector<std::size_t> series(rows), expert(rows), order(rows);
  Numbering all_series, all_experts;
  for (std::size_t i = 0; i < rows; ++i) {
    std::string key;
    for (const auto& column : by) key.append(column[i]) += '\0';
    series[i] = all_series.of(key);
    expert[i] = all_experts.of(experts[i]);
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& at = problem.times->at;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(series[a], at[a]) < std::pair(series[b], at[b]);
  });

  Problem wide;
  wide.origin = problem.origin;
  wide.experts = all_experts.take();
  wide.times.emplace();
  wide.times->text.name = problem.times->text.name;
  wide.times->calendar = problem.times->calendar;
  wide.values.columns = wide.experts.size();
  std::vector<io::TextColumn> wide_by(by.size());
  for (std::size_t c = 0; c < by.size(); ++c) wide_by[c].name = by[c].name;
  const auto refuse = [&](std::size_t i, std::string_view why) {
    throw Error(fmt::format("{}: row {}: {}", problem.origin, i + 1, why));
  };
  for (std::size_t n = 0; n < rows; ++n) {
    const std::size_t i = order[n];
    const bool same_round = n > 0 && series[i] == series[order[n - 1]] && at[i] == at[order[n - 1]];
    if (!same_round) {
      wide.values.values.insert(wide.values.values.end(), wide.experts.size(), kNaN);
      ++wide.values.rows;
      wide.outcomes.push_back(kNaN);
      wide.rows.push_back(i + 1);
      wide.times->at.push_back(at[i]);
      wide.times->text.add(problem.times->text[i]);
      for (std::size_t c = 0; c < by.size(); ++c) wide_by[c].add(by[c][i]);
    }
    double& forecast = wide.values.row(wide.values.rows - 1)[expert[i]];
    if (!std::isnan(forecast)) {
      refuse(i, fmt::format(
                    "{} forecasts {} a second time; give one row for each expert and time{}",
                    wide.experts[expert[i]], problem.times->text[i],
                    by.empty() ? ", or name the columns that tell series apart with --by" : ""));
    }
    forecast = problem.values.row(i)[0];
    double& outcome = wide.outcomes.back();
    const double y = problem.outcomes[i];
    if (!std::isnan(outcome) && !std::isnan(y) && y != outcome) {
      refuse(i, fmt::format("the outcome of {} is {} here and {} in another row; give one outcome",
                            problem.times->text[i], y, outcome));
    }
    if (!std::isnan(y)) outcome = y;
  }
  wide.task = problem.task;
  wide.scale = problem.scale;
  problem = std::move(wide);
  by = std::move(wide_by);
}

}  // namespace pcgs::compare
