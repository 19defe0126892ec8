#include "levels/combination.h"

#include <algorithm>
#include <limits>

namespace pcgs::levels {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void quantile_mean(std::span<const double> quantiles, std::span<const double> weights,
                   std::span<double> out) {
  const std::size_t count = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0, low = kInfinity, high = -kInfinity;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights[k] == 0) continue;
      const double x = quantiles[k * count + i];
      sum += weights[k] * x;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    // Weights sum to 1 but for rounding, and a combination stays in the range of what it combines.
    out[i] = std::clamp(sum, low, high);
    // Sums of numbers in order are in order but for rounding.
    if (i > 0) out[i] = std::max(out[i], out[i - 1]);
  }
}

void quantile_median(std::span<const double> quantiles, std::span<const double> weights,
                     std::span<std::size_t> order, std::span<double> out) {
  const std::size_t count = out.size();
  std::size_t awake = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > 0) order[awake++] = k;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](std::size_t k) { return quantiles[k * count + i]; };
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(awake),
              [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
    double below = 0;
    for (std::size_t n = 0; n < awake; ++n) {
      out[i] = at(order[n]);
      below += weights[order[n]];
      if (below >= 0.5 - kReached) break;
    }
  }
}

}  // namespace pcgs::levels
