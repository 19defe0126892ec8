// Made-up levels and distributions for tests: with gaps, repeated quantiles and experts that agree.
#pragma once

#include <algorithm>
#include <vector>

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

}  // namespace pcgs::test
