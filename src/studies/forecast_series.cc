#include "studies/forecast_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/number_table.h"
#include "pcgs/error.h"
#include "results/at_budget.h"

namespace pcgs::studies {

namespace {

// Sums until mean_of() makes means of them.
struct Scores {
  struct Expert {
    std::size_t rounds = 0;    // in which it was awake and a value came
    double loss = 0;           // summed over them
    double combined_loss = 0;  // of the combined forecast in the same rounds
  };
  std::size_t rounds = 0;
  double combined_loss = 0;
  std::vector<Expert> experts;

  void add(const TaskLoss& task, std::span<const double> forecasts, double combined, double y) {
    if (std::isnan(combined)) return;
    const double loss = task(combined, y);
    ++rounds;
    combined_loss += loss;
    for (std::size_t k = 0; k < forecasts.size(); ++k) {
      if (std::isnan(forecasts[k])) continue;
      ++experts[k].rounds;
      experts[k].loss += task(forecasts[k], y);
      experts[k].combined_loss += loss;
    }
  }
};

std::optional<double> mean_of(double sum, std::size_t rounds) {
  return rounds > 0 ? results::finite(sum / static_cast<double>(rounds)) : std::nullopt;
}

}  // namespace

Series read_series(const std::string& path, const std::string& column,
                   const std::vector<std::string>& forecasts) {
  if (std::find(forecasts.begin(), forecasts.end(), column) != forecasts.end()) {
    throw Error(fmt::format("{} is what is forecast; leave it out of --forecasts", column));
  }
  io::TableRequest request;
  request.keep = {column};
  request.keep.insert(request.keep.end(), forecasts.begin(), forecasts.end());
  request.may_be_missing = [](std::string_view) { return true; };
  const io::NumberTable table = io::read_table(path, request);

  Series series;
  series.origin = path;
  series.column = column;
  series.forecasts_names = forecasts;
  series.forecasts = Matrix(table.values.rows, forecasts.size());
  for (std::size_t t = 0; t < table.values.rows; ++t) {
    const auto row = table.values.row(t);
    series.values.push_back(row[0]);
    std::copy(row.begin() + 1, row.end(), series.forecasts.row(t).begin());
  }
  if (std::all_of(series.values.begin(), series.values.end(),
                  [](double y) { return std::isnan(y); })) {
    throw Error(fmt::format("{}: column {} holds no value; give a series", path, column));
  }
  return series;
}

std::vector<std::string> expert_names(const ExpertPool& pool, const Series& series) {
  std::vector<std::string> names = pool.names();
  for (const auto& name : series.forecasts_names) {
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw Error(fmt::format("{}: column {} has the name of an expert of the pool; rename it",
                              series.origin, name));
    }
    names.push_back(name);
  }
  return names;
}

SeriesForecast forecast_series(const Series& series, ExpertPool& pool, Aggregator& aggregator,
                               const std::function<void(const ForecastRow&)>& each) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const std::size_t rows = series.values.size();
  SeriesForecast out;
  results::ForecastResult& result = out.result;
  Scores scores;
  scores.experts.resize(aggregator.experts());
  std::vector<double> forecasts(pool.size() + series.forecasts.columns);
  const auto open = [&](std::size_t t) {
    const auto own = std::span(forecasts).subspan(pool.size());
    pool.forecast(std::span(forecasts).first(pool.size()));
    if (t < rows) {
      std::copy_n(series.forecasts.row(t).begin(), own.size(), own.begin());
    } else {
      std::fill(own.begin(), own.end(), kUnknown);
    }
    const double combined = aggregator.predict(forecasts);
    each({t + 1, t < rows ? series.values[t] : kUnknown, combined, forecasts,
          aggregator.played(aggregator.last_opened())});
    return combined;
  };
  for (std::size_t t = 0; t < rows; ++t) {
    const double y = series.values[t];
    const double combined = open(t);
    result.forecasts.push_back(results::finite(combined));
    if (std::isnan(y)) {
      ++result.gaps;
      aggregator.abandon(aggregator.last_opened());
    } else {
      try {
        aggregator.learn(aggregator.last_opened(), y);
      } catch (const Error& wrong) {
        throw Error(fmt::format("{}: row {}, column {}: {}", series.origin, t + 1, series.column,
                                wrong.what()));
      }
      scores.add(aggregator.task(), forecasts, combined, y);
    }
    pool.observe(y);
  }
  result.next = results::finite(open(rows));
  for (const Interval& one : aggregator.intervals(aggregator.last_opened())) {
    result.next_intervals.push_back({one.level, one.low, one.high});
  }
  const auto weights = aggregator.played(aggregator.last_opened());
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    const auto& expert = scores.experts[k];
    result.experts.push_back(
        {aggregator.names()[k], expert.rounds, mean_of(expert.loss, expert.rounds),
         mean_of(expert.combined_loss, expert.rounds), results::finite(forecasts[k]), weights[k]});
  }
  aggregator.abandon(aggregator.last_opened());
  result.rounds = rows;
  result.column = series.column;
  result.method = aggregator.method().name();
  result.loss = aggregator.task().name();
  result.scale = results::finite(aggregator.scale().value(LossSource::kForecasts));
  result.mean_loss = mean_of(scores.combined_loss, scores.rounds);
  out.scored = scores.rounds;
  return out;
}

}  // namespace pcgs::studies
