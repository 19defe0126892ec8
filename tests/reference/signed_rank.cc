#include "reference/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace pcgs::reference {

SignedRank signed_rank_by_enumeration(const std::vector<double>& differences) {
  std::vector<double> ranks;  // shared ranks are halves: their sums are exact
  double w = 0;
  for (const double d : differences) {
    if (d == 0) continue;
    double smaller = 0;
    double equal = 0;
    for (const double other : differences) {
      if (other == 0) continue;
      if (std::abs(other) < std::abs(d)) ++smaller;
      if (std::abs(other) == std::abs(d)) ++equal;
    }
    ranks.push_back(smaller + (1 + equal) / 2);
    if (d > 0) w += ranks.back();
  }

  const std::uint64_t patterns = std::uint64_t{1} << ranks.size();
  std::uint64_t at_most = 0;
  std::uint64_t at_least = 0;
  for (std::uint64_t signs = 0; signs < patterns; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if ((signs >> i & 1) != 0) sum += ranks[i];
    }
    if (sum <= w) ++at_most;
    if (sum >= w) ++at_least;
  }
  const auto tail = static_cast<double>(std::min(at_most, at_least));
  return {w, std::min(1.0, 2 * tail / static_cast<double>(patterns))};
}

}  // namespace pcgs::reference
