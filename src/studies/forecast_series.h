// A pool of experts and an aggregator, taken along a series together.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/experts.h"
#include "pcgs/matrix.h"

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

struct ExpertScore {
  std::size_t rounds = 0;    // in which it was awake and a value came
  double loss = 0;           // summed over them
  double combined_loss = 0;  // of the combined forecast in the same rounds
};

struct ForecastSummary {
  std::size_t gaps = 0;
  std::size_t judged = 0;        // rounds with a combined forecast and a value
  double combined_loss = 0;      // summed over them
  std::vector<double> combined;  // [T] NaN where everybody slept
  std::vector<ExpertScore> experts;
  double next = 0;  // the value after the last one; NaN if everybody sleeps
  std::vector<double> next_forecasts, next_weights;  // [K]
};

struct ForecastRow {
  std::size_t row = 0;              // 1, 2, ...; T + 1 for the one after the last
  double value = 0;                 // NaN: a gap, or not known yet
  double forecast = 0;              // NaN: everybody slept
  std::span<const double> experts;  // [K] their forecasts; NaN: asleep
  std::span<const double> weights;  // [K] as played; zero for sleepers
};

// Experts are the pool's and then the user's. `each` gets every row in order and the one after the
// last. The pool and the aggregator go on from where they are.
ForecastSummary forecast_series(const Series& series, ExpertPool& pool, Aggregator& aggregator,
                                const std::function<void(const ForecastRow&)>& each);

// Reports. The aggregator knows the names.
nlohmann::ordered_json forecast_json(const Series& series, const Aggregator& aggregator,
                                     const ForecastSummary& summary);
std::string forecast_table(const Series& series, const Aggregator& aggregator,
                           const ForecastSummary& summary);

}  // namespace pcgs::studies
