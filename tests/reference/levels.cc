#include "reference/levels.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

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

LevelWeights::LevelWeights(std::string method, std::vector<double> taus, std::size_t experts,
                           double gamma, double bandwidth)
    : method_(std::move(method)),
      taus_(std::move(taus)),
      experts_(experts),
      gamma_(gamma),
      bandwidth_(bandwidth) {
  const auto all = [&](double x) {
    return std::vector(taus_.size(), std::vector<double>(experts, x));
  };
  weights_ = all(1 / static_cast<double>(experts));
  regret_ = squares_ = greatest_ = all(0);
}

std::vector<double> LevelWeights::combined(std::span<const double> quantiles) const {
  std::vector<double> out(taus_.size(), 0);
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    for (std::size_t k = 0; k < experts_; ++k) {
      out[i] += weights_[i][k] * quantiles[k * taus_.size() + i];
    }
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::vector<double>> LevelWeights::regrets_of(std::span<const double> quantiles,
                                                          double outcome) const {
  const auto published = combined(quantiles);
  std::vector<std::vector<double>> apart(taus_.size(), std::vector<double>(experts_));
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    const double slope = (published[i] >= outcome ? 1 : 0) - taus_[i];
    for (std::size_t k = 0; k < experts_; ++k) {
      apart[i][k] = slope * (published[i] - quantiles[k * taus_.size() + i]);
    }
  }
  if (bandwidth_ == 0) return apart;
  auto smooth = apart;
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    double total = 0;
    std::ranges::fill(smooth[i], 0);
    for (std::size_t j = 0; j < taus_.size(); ++j) {
      const double away = (taus_[i] - taus_[j]) / bandwidth_;
      const double weight = std::exp(-away * away / 2);
      total += weight;
      for (std::size_t k = 0; k < experts_; ++k) smooth[i][k] += weight * apart[j][k];
    }
    for (double& r : smooth[i]) r /= total;
  }
  return smooth;
}

void LevelWeights::learn(std::span<const double> quantiles, double outcome) {
  const auto regrets = regrets_of(quantiles, outcome);
  for (std::size_t i = 0; i < taus_.size(); ++i) {
    std::vector<double> exponents(experts_), factors(experts_, 1);
    for (std::size_t k = 0; k < experts_; ++k) {
      const double r = regrets[i][k];
      double &regret = regret_[i][k], &squares = squares_[i][k], &greatest = greatest_[i][k];
      squares += r * r;
      greatest = std::max(greatest, std::abs(r));
      const double eta = std::min(1 / (2 * greatest),
                                  std::sqrt(std::log(static_cast<double>(experts_)) / squares));
      if (method_ == "ewa") {
        regret += r;
        exponents[k] = gamma_ * regret;
      } else if (method_ == "ml_poly") {
        regret += r;
        factors[k] = std::max(regret, std::exp(-700)) / squares;
      } else {
        regret += (r - eta * r * r) / 2 + (eta * r > 0.5 ? greatest : 0);
        exponents[k] = eta * regret;
        if (method_ == "boa") factors[k] = eta;
      }
    }
    const double most = *std::ranges::max_element(exponents);
    double total = 0;
    for (std::size_t k = 0; k < experts_; ++k) {
      weights_[i][k] = factors[k] * std::exp(exponents[k] - most);
      total += weights_[i][k];
    }
    for (double& w : weights_[i]) w /= total;
  }
}

std::vector<double> normals_of_r(std::size_t n, unsigned seed) {
  constexpr std::size_t kWords = 624, kApart = 397;
  std::array<std::uint32_t, kWords> words{};
  // The seed is scrambled fifty times, one word is passed over, and the others are the state.
  std::uint32_t scrambled = seed;
  for (int i = 0; i < 51; ++i) scrambled = 69069 * scrambled + 1;
  for (auto& word : words) word = scrambled = 69069 * scrambled + 1;
  std::size_t next = kWords;
  const auto uniform = [&] {
    if (next == kWords) {
      for (std::size_t i = 0; i < kWords; ++i) {
        const std::uint32_t y = (words[i] & 0x80000000U) | (words[(i + 1) % kWords] & 0x7fffffffU);
        words[i] = words[(i + kApart) % kWords] ^ (y >> 1) ^ ((y & 1U) != 0 ? 0x9908b0dfU : 0U);
      }
      next = 0;
    }
    std::uint32_t y = words[next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    y ^= y >> 18;
    return static_cast<double>(y) * 2.3283064365386963e-10;
  };
  constexpr double kParts = 134217728;  // 2^27: two uniforms make one of 53 bits
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    const double coarse = std::floor(kParts * uniform());
    out.push_back(boost::math::quantile(boost::math::normal(), (coarse + uniform()) / kParts));
  }
  return out;
}

}  // namespace pcgs::reference
