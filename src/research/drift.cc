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
#include <algorithm>

#include "research/families.h"
#include "research/smooth_path.h"

namespace pcgs::suite {

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

Sequence make_drift(std::size_t rounds, std::size_t experts, std::uint64_t seed, Parameters p) {
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
