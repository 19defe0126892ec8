// Whether numbers are a distribution.
#pragma once

#include <cmath>
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

}  // namespace pcgs
