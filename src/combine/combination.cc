#include "combine/combination.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pcgs::levels {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// At kWidth levels from `first` on: that many sums stay in registers while rows are read as they lie.
template <std::size_t kWidth>
void mean_of_levels(std::span<const double> quantiles, std::span<const double> weights,
                    std::size_t first, std::span<double> out) {
  std::array<double, kWidth> sum{}, low, high;
  low.fill(kInfinity);
  high.fill(-kInfinity);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double weight = weights[k];
    if (weight == 0) continue;
    const double* row = quantiles.data() + k * out.size() + first;
    for (std::size_t i = 0; i < kWidth; ++i) {
      sum[i] += weight * row[i];
      low[i] = std::min(low[i], row[i]);
      high[i] = std::max(high[i], row[i]);
    }
  }
  // Weights sum to 1 but for rounding, and a combination stays in the range of what it combines.
  for (std::size_t i = 0; i < kWidth; ++i) out[first + i] = std::clamp(sum[i], low[i], high[i]);
}

}  // namespace

void quantile_mean(std::span<const double> quantiles, std::span<const double> weights,
                   std::span<double> out) {
  constexpr std::size_t kWidth = 8;
  if (out.size() < kWidth) {
    for (std::size_t i = 0; i < out.size(); ++i) mean_of_levels<1>(quantiles, weights, i, out);
  } else {
    // The last levels are as many as the others, some of them for the second time.
    for (std::size_t i = 0; i < out.size(); i += kWidth) {
      mean_of_levels<kWidth>(quantiles, weights, std::min(i, out.size() - kWidth), out);
    }
  }
  // Sums of numbers in order are in order but for rounding.
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = std::max(out[i], out[i - 1]);
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
