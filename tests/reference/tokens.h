// Means over rounds as they are defined: what the references of both kinds of tokens are made of.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::reference {

using Series = std::vector<std::vector<double>>;  // [T][K]

inline double decay_of(double span) { return 1 - 1 / (span + 1); }
inline double signed_log1p(double x) { return std::copysign(std::log1p(std::abs(x)), x); }

// Weights decay^(t-s) over s = 0, ..., t and their sums.
struct Weighting {
  Weighting(double span, std::size_t t) {
    double weight = 1;
    for (std::size_t age = 0; age <= t; ++age) {
      by_age.push_back(weight);
      total += weight;
      squares += weight * weight;
      weight *= decay_of(span);
    }
  }
  // How many independent rounds a mean with these weights is worth.
  double rounds_worth() const { return total * total / squares; }

  std::vector<double> by_age;
  double total = 0, squares = 0;
};

inline double mean(const Weighting& weighting, const Series& x, std::size_t t, std::size_t k) {
  double sum = 0;
  for (std::size_t s = 0; s <= t; ++s) sum += weighting.by_age[t - s] * x[s][k];
  return sum / weighting.total;
}

// [T][K] the mean up to each round.
inline Series means(double span, const Series& x) {
  Series out;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Weighting weighting(span, t);
    out.emplace_back();
    for (std::size_t k = 0; k < x[t].size(); ++k) out[t].push_back(mean(weighting, x, t, k));
  }
  return out;
}

inline Series map(const Series& x,
                  const std::function<double(double x, std::size_t t, std::size_t k)>& f) {
  Series out = x;
  for (std::size_t t = 0; t < x.size(); ++t) {
    for (std::size_t k = 0; k < x[t].size(); ++k) out[t][k] = f(x[t][k], t, k);
  }
  return out;
}

// A mean made as noisy as what it is a mean of: times the root of the rounds that it is worth.
inline Series trusted(double span, const Series& means) {
  return map(means, [&](double x, std::size_t t, std::size_t) {
    return x * std::sqrt(Weighting(span, t).rounds_worth());
  });
}

// The numbers of a token as their definitions read: every mean an explicit sum over all rounds so
// far, every count a count, in double. O(T^2 K).

struct TokenHistory {
  std::size_t experts = 0;
  std::vector<std::vector<double>> tokens;  // [T][K x features] after each round
  std::vector<double> scale;                // [T]
  // The least distance that the largest weight of the leading filter ever had to the threshold of
  // leadership: where it is small, rounding decides who leads.
  double nearest_to_takeover = 1;
};

// losses [T x K]
TokenHistory token_history(MatrixView losses);

}  // namespace pcgs::reference
