// Weights, and what they combine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace pcgs {

// None negative or NaN, and their sum is this.
inline bool adds_up(std::span<const double> values, double total, double tolerance) {
  double sum = 0;
  for (const double x : values) {
    if (!(x >= 0)) return false;
    sum += x;
  }
  return std::abs(sum - total) <= tolerance;
}

inline bool on_simplex(std::span<const double> values, double tolerance = 1e-9) {
  return adds_up(values, 1, tolerance);
}

// The range of some forecasts, which no combination of them leaves.
//
// Weights sum to 1 up to rounding only, and so a sum of products may be a probability above 1, whose
// log loss is no number, or infinite where forecasts are near the largest double. Every combination
// is therefore held in the range of what it combines.

class ForecastRange {
 public:
  ForecastRange() = default;
  explicit ForecastRange(std::span<const double> forecasts);  // at least one

  void add(double forecast) {
    low_ = std::min(low_, forecast);
    high_ = std::max(high_, forecast);
  }
  // The nearest number in it. Requires a forecast.
  double hold(double combination) const { return std::clamp(combination, low_, high_); }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

// <weights, forecasts>, in the range of the forecasts of those awake: at least one. A sleeper's
// weight is 0, and its forecast any finite number.
double combined_forecast(std::span<const double> weights, std::span<const double> forecasts,
                         std::span<const std::uint8_t> awake);

}  // namespace pcgs
