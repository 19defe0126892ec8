// Series for the experts: a day, a week, noise, and gaps where wanted.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/random.h"

namespace pcgs::test {

inline std::vector<double> seasonal_series(std::size_t length, std::uint64_t seed,
                                           double gap_probability = 0) {
  Random random(seed);
  std::vector<double> y(length);
  double slow = 0;
  for (std::size_t t = 0; t < length; ++t) {
    const auto x = static_cast<double>(t);
    slow = 0.95 * slow + random.uniform(-0.5, 0.5);
    y[t] = 20 + 5 * std::sin(x * 6.283185307179586 / 12) + (t % 84 < 60 ? 2 : 0) + slow +
           random.uniform(-1, 1);
    if (random.chance(gap_probability)) y[t] = std::numeric_limits<double>::quiet_NaN();
  }
  return y;
}

}  // namespace pcgs::test
