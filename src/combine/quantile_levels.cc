#include "combine/quantile_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/invariant.h"
#include "pcgs/error.h"

namespace pcgs::levels {

Levels::Levels(std::vector<double> taus) : taus_(std::move(taus)) {
  if (taus_.empty())
    throw Error(ErrorKind::kMissing, {.field = "levels"},
                "no levels; give at least one between 0 and 1, such as 0.5");
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    if (!(taus_[i] > 0 && taus_[i] < 1)) {
      throw Error(ErrorKind::kValue, {.field = "levels"},
                  fmt::format("level {} is {}; give numbers between 0 and 1", i + 1, taus_[i]));
    }
    if (i > 0 && taus_[i] <= taus_[i - 1]) {
      throw Error(ErrorKind::kValue, {.field = "levels"},
                  fmt::format("level {} is {} and the one before it {}; give them in rising order",
                              i + 1, taus_[i], taus_[i - 1]));
    }
  }
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    // 0.1 + 0.9 is not 1 to the last bit in every spelling of the two.
    symmetric_ = symmetric_ && std::abs(taus_[i] + taus_[taus_.size() - 1 - i] - 1) < 1e-9;
  }
}

std::size_t crossings(std::span<const double> quantiles) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < quantiles.size(); ++i) count += quantiles[i] < quantiles[i - 1];
  return count;
}

void uncross(std::span<double> quantiles) {
  // Nearly always in order already, and then sorting by insertion only looks.
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    for (std::size_t j = i; j > 0 && quantiles[j] < quantiles[j - 1]; --j) {
      std::swap(quantiles[j], quantiles[j - 1]);
    }
  }
}

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

}  // namespace pcgs::levels
