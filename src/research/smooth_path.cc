#include "research/smooth_path.h"

#include <algorithm>
#include <cmath>

namespace pcgs::suite {

namespace {

double rate(const SmoothLaw& law) { return std::sqrt(3.0) / law.length; }

}  // namespace

std::array<double, 2> SmoothLaw::stationary() const {
  const double variance = amplitude * amplitude;
  return {variance, rate(*this) * rate(*this) * variance};
}

SmoothLaw::Step SmoothLaw::step() const {
  const double r = rate(*this);
  const double fade = std::exp(-r);
  const std::array<double, 4> a = {fade * (1 + r), fade, -fade * r * r, fade * (1 - r)};
  const auto [p0, p1] = stationary();
  // Q = P - A P A', so that the process is stationary.
  return {a,
          {p0 - (a[0] * a[0] * p0 + a[1] * a[1] * p1), -(a[0] * a[2] * p0 + a[1] * a[3] * p1),
           p1 - (a[2] * a[2] * p0 + a[3] * a[3] * p1)}};
}

SmoothPath::SmoothPath(const SmoothLaw& law, Random& random) : step_(law.step()) {
  const auto [p0, p1] = law.stationary();
  x_ = {std::sqrt(p0) * random.normal(), std::sqrt(p1) * random.normal()};
  const auto& q = step_.q;
  root_[0] = std::sqrt(std::max(q[0], 0.0));
  root_[1] = root_[0] > 0 ? q[1] / root_[0] : 0;
  root_[2] = std::sqrt(std::max(q[2] - root_[1] * root_[1], 0.0));
}

void SmoothPath::advance(Random& random) {
  const double first = random.normal();
  const double second = random.normal();
  const auto& a = step_.a;
  x_ = {a[0] * x_[0] + a[1] * x_[1] + root_[0] * first,
        a[2] * x_[0] + a[3] * x_[1] + root_[1] * first + root_[2] * second};
}

}  // namespace pcgs::suite
