#include "run/summary.h"

#include <algorithm>
#include <cmath>

#include "data/invariant.h"

namespace pcgs::stats {

Summary summarize(std::span<const double> x) {
  invariant(!x.empty(), "something to summarize");
  const double n = static_cast<double>(x.size());
  // Relative to the first number, equal numbers have an exact mean.
  double sum = 0;
  double scale = 0;
  for (const double value : x) {
    invariant(std::abs(value) <= 1e300, "numbers that can be subtracted and added");
    sum += value - x[0];
    scale = std::max(scale, std::abs(value - x[0]));
  }
  const double mean = x[0] + sum / n;
  if (scale == 0) return {.mean = mean, .std = 0};

  double squares = 0;  // in units of scale, where they neither overflow nor vanish
  for (const double value : x) {
    const double deviation = (value - mean) / scale;
    squares += deviation * deviation;
  }
  return {.mean = mean, .std = scale * std::sqrt(squares / (n - 1))};
}

}  // namespace pcgs::stats
