#include "combine/operators.h"

#include <algorithm>

namespace pcgs::levels {

double weight_of_pool(double level) { return (2 * level - 1) * (2 * level - 1); }

double mean_weight_of_pool(const Levels& levels) {
  double sum = 0;
  for (const double level : levels.values()) sum += weight_of_pool(level);
  return sum / static_cast<double>(levels.size());
}

void put_into_middle(const Levels& levels, std::span<const double> mean, std::span<double> pool) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double weight = weight_of_pool(levels[i]);
    const auto [low, high] = std::minmax(mean[i], pool[i]);
    pool[i] = std::clamp((1 - weight) * mean[i] + weight * pool[i], low, high);
  }
  // Weights that differ from level to level may make quantiles cross.
  uncross(pool);
}

}  // namespace pcgs::levels
