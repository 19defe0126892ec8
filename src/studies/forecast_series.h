// A pool of experts and an aggregator, taken along a series together.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/experts.h"
#include "pcgs/matrix.h"
#include "results/forecast_result.h"

namespace pcgs::studies {

struct Series {
  std::string origin;          // the file, for messages
  std::string column;          // what is forecast
  std::vector<double> values;  // [T] NaN: a gap
  Matrix forecasts;            // [T x any] the user's own; NaN: none
  std::vector<std::string> forecasts_names;
};

// A column of a table, and others that hold the user's own forecasts of it.
Series read_series(const std::string& path, const std::string& column,
                   const std::vector<std::string>& forecasts);
// The pool's, then the user's. Throws Error for a name that both have.
std::vector<std::string> expert_names(const ExpertPool& pool, const Series& series);

struct ForecastRow {
  std::size_t row = 0;              // 1, 2, ...; T + 1 for the one after the last
  double value = 0;                 // NaN: a gap, or not known yet
  double forecast = 0;              // NaN: everybody slept
  std::span<const double> experts;  // [K] their forecasts; NaN: asleep
  std::span<const double> weights;  // [K] as played; zero for sleepers
};

struct SeriesForecast {
  results::ForecastResult result;
  std::size_t scored = 0;  // rounds with a combined forecast and a value
};

// Experts are the pool's and then the user's; the aggregator knows their names. `each` gets every
// row in order and the one after the last. The pool and the aggregator go on from where they are.
SeriesForecast forecast_series(const Series& series, ExpertPool& pool, Aggregator& aggregator,
                               const std::function<void(const ForecastRow&)>& each);

std::string forecast_table(const std::string& origin, const SeriesForecast& forecast);

}  // namespace pcgs::studies
