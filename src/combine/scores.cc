#include "combine/scores.h"

#include <algorithm>

#include "data/invariant.h"

namespace pcgs::levels {

double level_score(const Levels& levels, std::span<const double> quantiles, double outcome) {
  double sum = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double beyond = outcome - quantiles[i];
    sum += std::max(levels[i] * beyond, (levels[i] - 1) * beyond);
  }
  return 2 * sum / static_cast<double>(levels.size());
}

ScoreParts score_parts(const Levels& levels, std::span<const double> quantiles, double outcome) {
  invariant(levels.symmetric(), "parts are those of central intervals");
  ScoreParts parts;
  const std::size_t last = levels.size() - 1;
  for (std::size_t i = 0; i < levels.size() - i; ++i) {
    // 2 tau (u - l) + 2 (l - y)+ + 2 (y - u)+ are the two pinball losses of an interval, twice.
    // The middle one is an interval with itself, and counts once.
    const double low = quantiles[i], high = quantiles[last - i];
    const double share = i == last - i ? 1 : 2;
    parts.width += 2 * levels[i] * (high - low);
    parts.above += share * std::max(low - outcome, 0.0);
    parts.below += share * std::max(outcome - high, 0.0);
  }
  const auto count = static_cast<double>(levels.size());
  return {parts.width / count, parts.above / count, parts.below / count};
}

namespace {

// The integral of (a + (b - a) s)^2 over s in [0,1].
double mean_square(double a, double b) { return (a * a + a * b + b * b) / 3; }

}  // namespace

double crps(const Levels& levels, std::span<const double> quantiles, double outcome) {
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

}  // namespace pcgs::levels
