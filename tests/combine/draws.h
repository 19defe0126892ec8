// Made-up levels and distributions for tests: with gaps, repeated quantiles and experts that agree.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "combine/quantile_levels.h"
#include "support/random.h"

namespace pcgs::test {

inline std::vector<double> draw_levels(Random& random, std::size_t count) {
  std::vector<double> taus(count);
  for (double& tau : taus) tau = random.uniform(0.01, 0.99);
  std::sort(taus.begin(), taus.end());
  return taus;
}

// In order, in [0,1], on a grid now and then, so that some are equal.
inline std::vector<double> draw_quantiles(Random& random, std::size_t count) {
  const double middle = random.uniform(), spread = random.log_uniform(0.01, 1);
  const bool coarse = random.chance(0.4);
  std::vector<double> out(count);
  for (double& x : out) {
    x = std::clamp(middle + spread * random.uniform(-0.5, 0.5), 0.0, 1.0);
    if (coarse) x = std::round(8 * x) / 8;
  }
  std::sort(out.begin(), out.end());
  return out;
}

// [K x P]
inline std::vector<double> draw_experts(Random& random, std::size_t experts, std::size_t count) {
  std::vector<double> all;
  for (std::size_t k = 0; k < experts; ++k) {
    const auto one = draw_quantiles(random, count);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// The integral over x of (F(x) - [x >= y])^2 for the whole distribution of quantile_levels.h, exactly.
inline double crps(const levels::Levels& levels, std::span<const double> quantiles,
                   double outcome) {
  // The integral of (a + (b - a) s)^2 over s in [0,1].
  const auto mean_square = [](double a, double b) { return (a * a + a * b + b * b) / 3; };
  const std::size_t last = levels.size() - 1;
  // F is 0 before the first quantile and 1 behind the last one.
  double sum = std::max(quantiles[0] - outcome, 0.0) + std::max(outcome - quantiles[last], 0.0);
  for (std::size_t i = 0; i < last; ++i) {
    const double from = quantiles[i], width = quantiles[i + 1] - from;
    if (width <= 0) continue;
    const double low = levels[i], high = levels[i + 1];
    const double part =
        std::clamp((outcome - from) / width, 0.0, 1.0);  // of it below what happened
    const double middle = low + (high - low) * part;
    sum +=
        width * (part * mean_square(low, middle) + (1 - part) * mean_square(1 - middle, 1 - high));
  }
  return sum;
}

}  // namespace pcgs::test
