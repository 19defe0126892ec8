#include "studies/forecast_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/number_table.h"
#include "pcgs/error.h"

namespace pcgs::studies {

namespace {

void score(const Aggregator& aggregator, std::span<const double> forecasts, double combined,
           double y, ForecastSummary& summary) {
  if (std::isnan(combined)) return;
  const double loss = aggregator.task()(combined, y);
  ++summary.judged;
  summary.combined_loss += loss;
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    if (std::isnan(forecasts[k])) continue;
    ExpertScore& expert = summary.experts[k];
    ++expert.rounds;
    expert.loss += aggregator.task()(forecasts[k], y);
    expert.combined_loss += loss;
  }
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

ForecastSummary forecast_series(const Series& series, ExpertPool& pool, Aggregator& aggregator,
                                const std::function<void(const ForecastRow&)>& each) {
  const std::size_t own = series.forecasts.columns;
  ForecastSummary summary;
  summary.experts.resize(aggregator.experts());
  summary.combined.reserve(series.values.size());
  std::vector<double> forecasts(pool.size() + own);
  const auto open = [&](std::size_t t) {
    pool.forecast(std::span(forecasts).first(pool.size()));
    for (std::size_t i = 0; i < own; ++i) {
      forecasts[pool.size() + i] = t < series.values.size()
                                       ? series.forecasts.row(t)[i]
                                       : std::numeric_limits<double>::quiet_NaN();
    }
    return aggregator.predict(forecasts);
  };
  for (std::size_t t = 0; t < series.values.size(); ++t) {
    const double y = series.values[t];
    const double combined = open(t);
    const auto round = aggregator.last_opened();
    each({t + 1, y, combined, forecasts, aggregator.played(round)});
    summary.combined.push_back(combined);
    if (std::isnan(y)) {
      ++summary.gaps;
      aggregator.abandon(round);
    } else {
      try {
        aggregator.learn(round, y);
      } catch (const Error& wrong) {
        throw Error(fmt::format("{}: row {}, column {}: {}", series.origin, t + 1, series.column,
                                wrong.what()));
      }
      score(aggregator, forecasts, combined, y, summary);
    }
    pool.observe(y);
  }
  summary.next = open(series.values.size());
  const auto round = aggregator.last_opened();
  const auto weights = aggregator.played(round);
  each({series.values.size() + 1, std::numeric_limits<double>::quiet_NaN(), summary.next, forecasts,
        weights});
  summary.next_forecasts = forecasts;
  summary.next_weights.assign(weights.begin(), weights.end());
  aggregator.abandon(round);
  return summary;
}

}  // namespace pcgs::studies
