#include "run/central_intervals.h"

#include <algorithm>
#include <cmath>

namespace pcgs::compare {

std::vector<double> central_intervals(const levels::Levels& levels) {
  std::vector<double> out;
  for (std::size_t i = 0; levels.symmetric() && i < levels.size() / 2; ++i) {
    out.push_back(levels[levels.size() - 1 - i] - levels[i]);
  }
  return out;
}

std::vector<std::size_t> usual_intervals(std::span<const double> intervals) {
  std::vector<std::size_t> out;
  if (intervals.empty()) return out;
  for (const double wanted : {0.5, 0.8, 0.95}) {
    const auto nearest = std::ranges::min_element(
        intervals, {}, [&](double held) { return std::abs(held - wanted); });
    const auto at = static_cast<std::size_t>(nearest - intervals.begin());
    if (std::ranges::find(out, at) == out.end()) out.push_back(at);
  }
  return out;
}

}  // namespace pcgs::compare
