#include "reference/levels.h"

#include <algorithm>
#include <cmath>

namespace pcgs::reference {

double level_distribution(std::span<const double> taus, std::span<const double> quantiles,
                          double x) {
  const std::size_t last = taus.size() - 1;
  if (x < quantiles[0]) return 0;
  if (x >= quantiles[last]) return 1;
  std::size_t i = 0;
  while (quantiles[i + 1] <= x) ++i;
  return taus[i] + (taus[i + 1] - taus[i]) * (x - quantiles[i]) / (quantiles[i + 1] - quantiles[i]);
}

double level_crps(std::span<const double> taus, std::span<const double> quantiles, double outcome,
                  int cells) {
  const double low = std::min(quantiles.front(), outcome),
               high = std::max(quantiles.back(), outcome);
  const double width = (high - low) / cells;
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    const double x = low + (i + 0.5) * width;
    const double gap = level_distribution(taus, quantiles, x) - (x >= outcome ? 1 : 0);
    sum += gap * gap * width;
  }
  return sum;
}

double pooled(std::span<const double> taus, std::span<const double> quantiles,
              std::span<const double> weights, double x) {
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    sum +=
        weights[k] * level_distribution(taus, quantiles.subspan(k * taus.size(), taus.size()), x);
  }
  return sum;
}

double substituted(std::span<const double> taus, std::span<const double> quantiles,
                   std::span<const double> weights, double x) {
  double above = 0, below = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    const double f = level_distribution(taus, quantiles.subspan(k * taus.size(), taus.size()), x);
    above += weights[k] * std::exp(-2 * f * f);
    below += weights[k] * std::exp(-2 * (1 - f) * (1 - f));
  }
  return 0.5 - 0.25 * std::log(above / below);
}

double mixed_crps(std::span<const double> taus, std::span<const double> quantiles,
                  std::span<const double> weights, double outcome, Mixed mixed) {
  std::vector<double> places(quantiles.begin(), quantiles.end());
  places.insert(places.end(), {0, 1, outcome});
  std::ranges::sort(places);
  double sum = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    constexpr int kCells = 40;
    const double width = (places[i] - places[i - 1]) / kCells;
    for (int c = 0; c < kCells && width > 0; ++c) {
      const double x = places[i - 1] + (c + 0.5) * width;
      const double gap = mixed(taus, quantiles, weights, x) - (x >= outcome ? 1 : 0);
      sum += gap * gap * width;
    }
  }
  return sum;
}

double weighted_interval_score(std::span<const double> taus, std::span<const double> quantiles,
                               double outcome) {
  const std::size_t pairs = taus.size() / 2;
  double sum = 0.5 * std::abs(outcome - quantiles[pairs]);
  for (std::size_t i = 0; i < pairs; ++i) {
    const double alpha = 2 * taus[i], low = quantiles[i], high = quantiles[taus.size() - 1 - i];
    const double score = (high - low) + 2 / alpha * std::max(low - outcome, 0.0) +
                         2 / alpha * std::max(outcome - high, 0.0);
    sum += alpha / 2 * score;
  }
  return sum / (static_cast<double>(pairs) + 0.5);
}

}  // namespace pcgs::reference
