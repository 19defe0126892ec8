#include "research/drift.h"

#include <algorithm>
#include <cmath>

#include "research/suite.h"

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

// drift: every expert's mean wanders smoothly, and they cross.
//
//     loss = clip( 0.5 + f_k(t) + noise_k N(0,1), 0, 1 )
//
// f_k are independent smooth functions (smooth_path.h) of this amplitude. Each expert has its own
// pace and noise: the length over which f_k forgets itself is log-uniform in [fastest, slowest],
// and noise_k in [quietest, loudest].
//
// The limit is a Kalman filter for each expert, which knows both. It takes losses as they are, so
// it is exact up to clipping, which at the standard parameters touches one loss in a hundred.

namespace {

// What is known of one expert's (f, f') in the round to come.
class Kalman {
 public:
  Kalman(const SmoothLaw& law, double noise)
      : step_(law.step()),
        noise_variance_(noise * noise),
        covariance_{law.stationary()[0], 0, law.stationary()[1]} {}

  double expected() const { return value_; }

  void learn(double observed) {
    const auto [p00, p01, p11] = covariance_;
    const double gain_value = p00 / (p00 + noise_variance_);
    const double gain_slope = p01 / (p00 + noise_variance_);
    const double surprise = observed - value_;
    const double value = value_ + gain_value * surprise;
    const double slope = slope_ + gain_slope * surprise;
    const double c00 = (1 - gain_value) * p00;
    const double c01 = (1 - gain_value) * p01;
    const double c11 = p11 - gain_slope * p01;
    const auto& a = step_.a;
    value_ = a[0] * value + a[1] * slope;
    slope_ = a[2] * value + a[3] * slope;
    covariance_ = {
        a[0] * a[0] * c00 + 2 * a[0] * a[1] * c01 + a[1] * a[1] * c11 + step_.q[0],
        a[0] * a[2] * c00 + (a[0] * a[3] + a[1] * a[2]) * c01 + a[1] * a[3] * c11 + step_.q[1],
        a[2] * a[2] * c00 + 2 * a[2] * a[3] * c01 + a[3] * a[3] * c11 + step_.q[2]};
  }

 private:
  SmoothLaw::Step step_;
  double noise_variance_;
  std::array<double, 3> covariance_;  // (0,0), (0,1), (1,1)
  double value_ = 0, slope_ = 0;
};

class KalmanLimit final : public Limit {
 public:
  KalmanLimit(const std::vector<SmoothLaw>& laws, const std::vector<double>& noise)
      : weights_(laws.size(), 0.0) {
    for (std::size_t k = 0; k < laws.size(); ++k) experts_.emplace_back(laws[k], noise[k]);
    weights_[0] = 1;  // they are all alike before the first round
  }

  std::span<const double> weights() const override { return weights_; }

  void learn(std::span<const double> losses) override {
    std::size_t best = 0;
    for (std::size_t k = 0; k < experts_.size(); ++k) {
      experts_[k].learn(losses[k] - 0.5);
      if (experts_[k].expected() < experts_[best].expected()) best = k;
    }
    std::fill(weights_.begin(), weights_.end(), 0.0);
    weights_[best] = 1;
  }

 private:
  std::vector<Kalman> experts_;
  std::vector<double> weights_;  // [K]
};

}  // namespace

Sequence make_drift(std::size_t rounds, std::size_t experts, std::uint64_t seed,
                    std::span<const double> p) {
  Random random("drift", seed);
  std::vector<SmoothLaw> laws;
  std::vector<double> noise;
  std::vector<SmoothPath> means;
  for (std::size_t k = 0; k < experts; ++k) {
    laws.push_back({p[0], random.log_uniform(p[3], p[4])});
    noise.push_back(random.log_uniform(p[1], p[2]));
    means.emplace_back(laws.back(), random);
  }
  Sequence sequence{Matrix(rounds, experts), std::vector<std::uint32_t>(rounds)};
  sequence.unclipped = Matrix(rounds, experts);
  for (std::size_t t = 0; t < rounds; ++t) {
    const auto row = sequence.losses.row(t), unclipped = sequence.unclipped.row(t);
    std::size_t best = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      unclipped[k] = 0.5 + means[k].value() + noise[k] * random.normal();
      row[k] = std::clamp(unclipped[k], 0.0, 1.0);
      if (means[k].value() < means[best].value()) best = k;
    }
    sequence.path[t] = static_cast<std::uint32_t>(best);
    for (SmoothPath& mean : means) mean.advance(random);
  }
  sequence.limit = [=] { return std::make_unique<KalmanLimit>(laws, noise); };
  return sequence;
}

}  // namespace pcgs::suite
