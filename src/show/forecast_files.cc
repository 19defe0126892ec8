#include "show/forecast_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "data/csv.h"

namespace pcgs::results {

namespace {

struct Row {
  std::size_t in_file, series, t;
};

std::vector<Row> rows_in_order(std::span<const PlayedSeries> series) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto& problem = *series[i].problem;
    for (std::size_t t = 0; t < problem.rounds(); ++t) rows.push_back({problem.file_row(t), i, t});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.in_file < b.in_file; });
  return rows;
}

void put(std::string& out, double x) {
  out += ',';
  if (!std::isnan(x)) fmt::format_to(std::back_inserter(out), "{}", x);
}

std::string time_name(const Problem& problem) {
  if (!problem.times) return "round";
  return problem.times->text.name.empty() ? "time" : problem.times->text.name;
}

// What every row begins with, and what `rest` adds to it.
template <class Rest>
std::string table(const std::vector<std::string>& by, std::span<const PlayedSeries> series,
                  const std::string& more_columns, const Rest& rest) {
  std::string out = csv_field(time_name(*series.front().problem));
  for (const auto& name : by) out += ',' + csv_field(name);
  out += ",outcome" + more_columns + '\n';
  for (const Row& row : rows_in_order(series)) {
    const PlayedSeries& one = series[row.series];
    const auto& times = one.problem->times;
    out += times ? csv_field(times->text[row.t]) : fmt::format("{}", row.t + 1);
    for (const auto& value : *one.key) out += ',' + csv_field(value);
    put(out, one.problem->outcomes[row.t]);
    rest(out, one, row.t);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string forecasts_csv(const std::vector<std::string>& by,
                          std::span<const PlayedSeries> series) {
  std::string names;
  for (const auto& method : series.front().comparison->methods)
    names += ',' + csv_field(method.name);
  return table(by, series, names, [](std::string& out, const PlayedSeries& one, std::size_t t) {
    for (const auto& method : one.comparison->methods) put(out, method.forecasts[t]);
  });
}

std::string intervals_csv(const std::vector<std::string>& by,
                          std::span<const PlayedSeries> series) {
  std::string names = ",forecast";
  for (const double level : series.front().comparison->methods.back().intervals->levels) {
    names += fmt::format(",low_{0:g},high_{0:g}", 100 * level);
  }
  return table(by, series, names, [](std::string& out, const PlayedSeries& one, std::size_t t) {
    const auto& method = one.comparison->methods.back();
    put(out, method.forecasts[t]);
    for (std::size_t i = 0; i < method.intervals->levels.size(); ++i) {
      put(out, method.intervals->low.row(t)[i]);
      put(out, method.intervals->high.row(t)[i]);
    }
  });
}

}  // namespace pcgs::results
