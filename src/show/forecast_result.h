// What pcgs forecast found: a series, forecast by a pool of experts that one method combines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "show/forecast_answer.h"

namespace pcgs::results {

struct Kind;

// Numbers are none where there was no round to take a mean of, or no forecast.
struct ForecastResult {
  static constexpr const char* kKind = "forecast";
  static const Kind& kind();

  struct Expert {
    std::string name;
    std::size_t rounds = 0;  // in which it forecast
    std::optional<double> mean_loss;
    std::optional<double> combined_mean_loss;  // of the combined forecast, in the same rounds
    std::optional<double> next_forecast;
    double next_weight = 0;
    bool operator==(const Expert&) const = default;
  };
  struct Range {
    double level = 0, low = 0, high = 0;
    bool operator==(const Range&) const = default;
  };

  std::size_t rounds = 0;  // rows of the series
  std::size_t gaps = 0;
  std::string column, method, loss;
  std::optional<double> scale;
  std::optional<double> mean_loss;
  std::vector<Expert> experts;
  std::optional<double> next;                    // of the combined forecast
  std::vector<std::optional<double>> forecasts;  // [rounds] combined
  std::vector<Range> next_intervals{};  // [levels] around the next one; empty before any error
  ForecastAnswer answer{};              // how wrong it was, beside whom

  bool operator==(const ForecastResult&) const = default;
};

// The expert with the lowest mean loss, of those that forecast at least half of the time; null if
// there is none.
const ForecastResult::Expert* best_expert(const ForecastResult& forecast);

// What came of it. `column` is what was forecast.
ForecastResult forecast_result(const Problem& problem, const std::string& column,
                               const Comparison& comparison);

std::string forecast_table(const ForecastResult& result, const std::string& origin);

// A line for each round: the time if there is one, row, value, forecast, a weight for each expert,
// and the intervals.
std::string forecast_csv(const Problem& problem, const Comparison& comparison);

}  // namespace pcgs::results
