#include "run/holm.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "data/invariant.h"

namespace pcgs::stats {

std::vector<double> holm(std::span<const double> p_values) {
  for (const double p : p_values) invariant(p >= 0 && p <= 1, "a p-value is between 0 and 1");

  std::vector<std::size_t> ascending(p_values.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::sort(ascending.begin(), ascending.end(),
            [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });

  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  std::size_t remaining = p_values.size();
  for (const std::size_t i : ascending) {
    largest = std::max(largest, static_cast<double>(remaining--) * p_values[i]);
    adjusted[i] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace pcgs::stats
