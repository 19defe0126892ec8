// The forecasts of runs as rows of CSV, and what pcgs forecast found: a series, forecast by a pool of
// experts that one method combines.
#pragma once

#include <span>

#include "show/forecast_answer.h"
#include "show/result.h"

namespace pcgs::results {

// Of pcgs forecast: the time if there is one, row, value, forecast, a weight for each expert, and the
// intervals.
std::string forecast_csv(const Problem& problem, const Comparison& comparison);

// A series of pcgs run and what came of it. The same methods for all of them.
struct PlayedSeries {
  const std::vector<std::string>* key = nullptr;  // [by]
  const Problem* problem = nullptr;
  const Comparison* comparison = nullptr;
};
// One row for each row of the file, in the same order, so that they can be joined back: the time, or
// the round; what tells series apart; the outcome; and the forecast of each method.
std::string forecasts_csv(const std::vector<std::string>& by, std::span<const PlayedSeries> series);
// The same with the forecast of the last method, the combination, and its intervals. Requires that
// every series has them.
std::string intervals_csv(const std::vector<std::string>& by, std::span<const PlayedSeries> series);

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

// What came of it. `column` is what was forecast.
ForecastResult forecast_result(const Problem& problem, const std::string& column,
                               const Comparison& comparison);

std::string forecast_table(const ForecastResult& result, const std::string& origin);

}  // namespace pcgs::results
