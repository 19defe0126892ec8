// The pool's distribution function is linear between the experts' quantiles. So one sweep over all of
// them in order finds every quantile of the pool: O(K) at each of K P points, in which nothing that was
// summed before is carried on.
#include <algorithm>
#include <cmath>

#include "levels/combination.h"

namespace pcgs::levels {

namespace {

// The part of the way from a to b at which a line from `low` to `high` is at `level`.
double between(double a, double b, double low, double high, double level) {
  const double part = high > low ? std::clamp((level - low) / (high - low), 0.0, 1.0) : 1.0;
  return std::clamp((1 - part) * a + part * b, a, b);
}

}  // namespace

Pool::Pool(const Levels& levels, std::size_t experts)
    : levels_(levels),
      experts_(experts),
      next_(experts),
      pieces_{std::vector<double>(experts), std::vector<double>(experts),
              std::vector<double>(experts)} {
  points_.reserve(experts * levels.size());
}

void Pool::arrange(std::span<const double> quantiles) {
  quantiles_ = quantiles;
  points_.clear();
  for (std::size_t k = 0; k < experts_; ++k) {
    if (std::isnan(quantile(k, 0))) continue;
    for (std::size_t i = 0; i < levels_.size(); ++i) points_.push_back({quantile(k, i), k});
  }
  std::sort(points_.begin(), points_.end(),
            [](const Point& a, const Point& b) { return a.x < b.x; });
}

double Pool::mixture(double x) const {
  const double half = 0.5 * x;
  double sum = 0;
  for (std::size_t k = 0; k < experts_; ++k) {
    sum += pieces_.at[k] + pieces_.slope[k] * (half - pieces_.from[k]);
  }
  return sum;
}

// The expert has come to its quantile of this level.
void Pool::step_to(std::size_t expert, std::size_t level, double weight) {
  const double here = 0.5 * quantile(expert, level);
  pieces_.from[expert] = here;
  if (level + 1 == levels_.size()) {
    pieces_.at[expert] = weight;
    pieces_.slope[expert] = 0;
    return;
  }
  const double width = 0.5 * quantile(expert, level + 1) - here;
  pieces_.at[expert] = weight * levels_[level];
  // Where there is no way to go, the next point is this one. A slope must not be infinite.
  pieces_.slope[expert] =
      width > 0 ? std::min(weight * (levels_[level + 1] - levels_[level]) / width, 1e300) : 0;
}

// Lets all experts step that have a quantile where the point is; the mixture there, lumps included.
double Pool::pass(std::size_t& point, std::span<const double> weights) {
  const double x = points_[point].x;
  for (; point < points_.size() && points_[point].x == x; ++point) {
    const std::size_t k = points_[point].expert;
    step_to(k, next_[k]++, weights[k]);
  }
  return mixture(x);
}

void Pool::linear(std::span<const double> weights, std::span<double> out) {
  std::ranges::fill(next_, 0u);
  for (auto* values : {&pieces_.at, &pieces_.from, &pieces_.slope}) std::ranges::fill(*values, 0.0);
  std::size_t level = 0, point = 0;
  double before = 0, reached = 0;  // the last point, and the mixture there
  while (level < levels_.size() && point < points_.size()) {
    const double x = points_[point].x;
    const double left = mixture(x);
    for (; level < levels_.size() && levels_[level] <= left; ++level) {
      out[level] = between(before, x, reached, left, levels_[level]);
    }
    reached = pass(point, weights);
    for (; level < levels_.size() && levels_[level] <= reached + kReached; ++level) {
      out[level] = x;
    }
    before = x;
  }
  for (; level < levels_.size(); ++level) out[level] = before;
}

}  // namespace pcgs::levels
