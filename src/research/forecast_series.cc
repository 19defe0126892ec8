#include "research/forecast_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/at_budget.h"
#include "data/calendar.h"
#include "data/number_table.h"
#include "data/time_column.h"
#include "pcgs/error.h"

namespace pcgs::studies {

using compare::Problem;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// When the round after the last row will be.
void add_coming_time(Problem& problem, double step) {
  auto& times = *problem.times;
  const double next = times.at.back() + step;
  times.at.push_back(next);
  times.text.add(step == 0        ? std::string()
                 : times.calendar ? io::date_text(next)
                                  : fmt::format("{}", next));
}

std::vector<std::string> joined_names(const ExpertPool& pool, const Problem& series) {
  std::vector<std::string> names = pool.names();
  for (const auto& name : series.experts) {
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw Error(fmt::format("{}: column {} has the name of an expert of the pool; rename it",
                              series.origin, name));
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

Problem read_series(const std::string& path, const SeriesColumns& columns) {
  const auto& own = columns.forecasts;
  if (std::find(own.begin(), own.end(), columns.column) != own.end()) {
    throw Error(fmt::format("{} is what is forecast; leave it out of --forecasts", columns.column));
  }
  io::TableRequest request;
  request.keep = {columns.column};
  request.keep.insert(request.keep.end(), own.begin(), own.end());
  request.may_be_missing = [](std::string_view) { return true; };
  request.format = columns.format;
  request.note = [&](const std::string& sentence) {
    if (columns.tell) columns.tell({NoteKind::kReading, sentence});
  };
  if (columns.time.empty()) {
    request.find_times = true;
  } else {
    request.text = {columns.time};
  }
  io::NumberTable table = io::read_table(path, request);
  if (!columns.time.empty()) table.times = std::move(table.texts.front());

  Problem series;
  series.origin = path == "-" ? "standard input" : path;
  series.experts = own;
  series.values = Matrix(table.values.rows, own.size());
  for (std::size_t t = 0; t < table.values.rows; ++t) {
    const auto row = table.values.row(t);
    series.outcomes.push_back(row[0]);
    std::copy(row.begin() + 1, row.end(), series.values.row(t).begin());
  }
  if (series.known() == 0) {
    throw Error(
        fmt::format("{}: column {} holds no value; give a series", series.origin, columns.column));
  }
  if (table.times) series.times = io::read_times(std::move(*table.times), series.origin);
  return series;
}

void let_forecast(Problem& series, const std::string& column, ExpertPool& pool,
                  const compare::Clock* before, const std::function<void(std::size_t)>& advance) {
  const std::size_t rows = series.rounds(), known = series.known(), own = series.experts.size();
  const double step = series.times ? compare::usual_step(series, before) : 0;
  std::vector<std::string> names = joined_names(pool, series);
  Matrix values(rows + 1, names.size());
  std::vector<std::uint8_t> after_known;
  for (std::size_t t = 0; t <= rows; ++t) {
    if (t == known) after_known = pool.save_bytes();
    // Rows that are missing are gaps to the pool.
    for (std::int64_t i = 0; t < rows && !series.missing.empty() && i < series.missing[t]; ++i) {
      pool.observe(kUnknown);
    }
    const auto row = values.row(t);
    pool.forecast(row.first(pool.size()));
    if (t < rows) {
      std::copy_n(series.values.row(t).begin(), own,
                  row.begin() + static_cast<std::ptrdiff_t>(pool.size()));
      try {
        pool.observe(series.outcomes[t]);
      } catch (const Error& wrong) {
        throw Error(fmt::format("{}: row {}, column {}: {}", series.origin, series.file_row(t),
                                column, wrong.what()));
      }
      if (advance) advance(1);
    } else {
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(pool.size()), row.end(), kUnknown);
    }
  }
  pool.load_bytes(after_known, series.origin);
  series.experts = std::move(names);
  series.values = std::move(values);
  series.outcomes.push_back(kUnknown);
  if (!series.rows.empty()) series.rows.push_back(rows > 0 ? series.rows.back() + 1 : 1);
  if (!series.missing.empty()) series.missing.push_back(0);
  if (series.times && rows > 0) add_coming_time(series, step);
}

results::ForecastResult forecast_result(const Problem& problem, const std::string& column,
                                        const compare::Comparison& comparison) {
  const compare::MethodResult& method = comparison.methods.back();
  const std::size_t rows = problem.rounds() - 1;
  const compare::Errors errors = compare::errors_of(problem, comparison);
  results::ForecastResult result;
  result.rounds = rows;
  result.column = column;
  result.method = method.name;
  result.loss = problem.task.name();
  result.scale = results::finite(comparison.scale);
  result.mean_loss = results::finite(errors.all.front().own.loss());
  result.answer = results::forecast_answer(problem, comparison, errors);
  for (std::size_t t = 0; t < rows; ++t) {
    if (std::isnan(problem.outcomes[t])) ++result.gaps;
    result.forecasts.push_back(results::finite(method.forecasts[t]));
  }
  result.next = results::finite(method.forecasts[rows]);
  for (std::size_t i = 0; method.intervals && i < method.intervals->levels.size(); ++i) {
    const double low = method.intervals->low.row(rows)[i];
    if (std::isnan(low)) continue;
    result.next_intervals.push_back(
        {method.intervals->levels[i], low, method.intervals->high.row(rows)[i]});
  }
  for (std::size_t k = 0; k < problem.experts.size(); ++k) {
    const auto& error = *std::find_if(errors.all.begin(), errors.all.end(), [&](const auto& one) {
      return one.kind == compare::ForecastError::Kind::kExpert && one.name == problem.experts[k];
    });
    result.experts.push_back({error.name, error.own.rounds(), results::finite(error.own.loss()),
                              results::finite(error.combined.loss()),
                              results::finite(problem.values.row(rows)[k]),
                              method.weights.row(rows)[k]});
  }
  return result;
}

}  // namespace pcgs::studies
