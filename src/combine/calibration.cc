#include "combine/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pcgs::levels {

namespace {

constexpr double kLeastStep = 0.2, kMostStep = 0.5;
constexpr double kFewestSeries = 10;  // fewer are not more to learn from, only noisier
constexpr double kSpeed = 0.03;

}  // namespace

Calibration::Calibration(const Levels& levels) {
  if (!levels.symmetric()) return;
  for (std::size_t i = 0; i < levels.size() / 2; ++i) pairs_.push_back({2 * levels[i]});
}

void Calibration::stretch(std::span<double> quantiles) const {
  constexpr double kMost = std::numeric_limits<double>::max();
  const std::size_t last = quantiles.size() - 1;
  const double middle = std::midpoint(quantiles[last / 2], quantiles[quantiles.size() / 2]);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double further = std::expm1(pairs_[i].log_stretch);
    // In two steps of half the way, because the difference of two doubles may be none.
    const auto moved = [&](double x) {
      const double step = further * (0.5 * x - 0.5 * middle);
      return x + step + step;
    };
    quantiles[i] = std::clamp(moved(quantiles[i]), -kMost, middle);
    quantiles[last - i] = std::clamp(moved(quantiles[last - i]), middle, kMost);
  }
  uncross(quantiles);
}

void Calibration::learn(std::span<const double> published, double outcome, std::size_t series) {
  const double parts = std::max(static_cast<double>(series), kFewestSeries);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    const bool outside = outcome < published[i] || outcome > published[published.size() - 1 - i];
    const double error = (outside ? 1 : 0) - pair.alpha;
    const double step = kSpeed * std::clamp(pair.alpha, kLeastStep, kMostStep) / parts;
    pair.log_stretch =
        std::clamp(pair.log_stretch + step * error, -kMostLogStretch, kMostLogStretch);
  }
}

void Calibration::save(StateWriter& out) const {
  for (const Pair& pair : pairs_) out.f64(pair.log_stretch);
}

void Calibration::load(StateReader& in) {
  for (Pair& pair : pairs_) {
    pair.log_stretch = in.f64_within(-kMostLogStretch, kMostLogStretch, "a stretch");
  }
}

}  // namespace pcgs::levels
