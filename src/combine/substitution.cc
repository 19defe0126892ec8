// The substituted distribution function bends between the experts' quantiles, so its quantiles are
// searched for: first among those points, then between two of them.
#include <algorithm>
#include <cmath>

#include "combine/combination.h"

namespace pcgs::levels {

double Pool::distribution(std::size_t expert, double x, Side side) const {
  const auto own = quantiles_.subspan(expert * levels_.size(), levels_.size());
  const auto above = side == Side::kLeft ? std::lower_bound(own.begin(), own.end(), x)
                                         : std::upper_bound(own.begin(), own.end(), x);
  if (above == own.begin()) return 0;
  if (above == own.end()) return 1;
  const auto i = static_cast<std::size_t>(above - own.begin());
  // Halves, because the difference of two doubles may be none.
  const double part = (0.5 * x - 0.5 * own[i - 1]) / (0.5 * own[i] - 0.5 * own[i - 1]);
  return levels_[i - 1] + (levels_[i] - levels_[i - 1]) * std::clamp(part, 0.0, 1.0);
}

double Pool::substitution(std::span<const double> weights, double x, Side side) const {
  double it_is_above = 0, it_is_below = 0;
  for (std::size_t k = 0; k < experts_; ++k) {
    if (weights[k] == 0) continue;
    const double f = distribution(k, x, side);
    it_is_above += weights[k] * std::exp(-2 * f * f);
    it_is_below += weights[k] * std::exp(-2 * (1 - f) * (1 - f));
  }
  return 0.5 - 0.25 * std::log(it_is_above / it_is_below);
}

// Where it is at this level, between two points that have it between them and none inside: a secant
// whose end that stays counts half (the Illinois rule), so that both ends come near.
double Pool::substituted_between(std::span<const double> weights, double from, double to,
                                 double level) const {
  double low = 0, high = 1;  // parts of the way
  const auto place = [&](double part) { return (1 - part) * from + part * to; };
  double at_low = substitution(weights, from, Side::kAt) - level;
  double at_high = substitution(weights, to, Side::kLeft) - level;
  constexpr int kMostSteps = 100;
  for (int step = 0; step < kMostSteps && at_high > at_low; ++step) {
    const double part = std::clamp(low - at_low * (high - low) / (at_high - at_low), low, high);
    const double here = substitution(weights, place(part), Side::kAt) - level;
    if (std::abs(here) < 1e-14 || high - low < 1e-15) return place(part);
    if (here < 0) {
      low = part;
      at_low = here;
      at_high /= 2;
    } else {
      high = part;
      at_high = here;
      at_low /= 2;
    }
  }
  return place(high);
}

void Pool::substituted(std::span<const double> weights, std::span<double> out) {
  std::size_t first = 0;  // later levels are not reached before it
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const double level = levels_[i];
    const auto reached = [&](const Point& point) {
      return substitution(weights, point.x, Side::kAt) >= level - kReached;
    };
    const auto found =
        std::partition_point(points_.begin() + static_cast<std::ptrdiff_t>(first), points_.end(),
                             [&](const Point& point) { return !reached(point); });
    const auto at = std::min(static_cast<std::size_t>(found - points_.begin()), points_.size() - 1);
    const double x = points_[at].x;
    out[i] = at > 0 && level < substitution(weights, x, Side::kLeft)
                 ? std::clamp(substituted_between(weights, points_[at - 1].x, x, level),
                              points_[at - 1].x, x)
                 : x;
    if (i > 0) out[i] = std::max(out[i], out[i - 1]);
    first = at;
  }
}

}  // namespace pcgs::levels
