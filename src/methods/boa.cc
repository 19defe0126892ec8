// BOA, Bernstein online aggregation: exponential weights on regrets that are charged for their
// squares, with a learning rate for each expert.
//
//     r(k)   = learner's loss - l(k)      V(k) += 2.2 r(k)^2      eta(k) = 1 / sqrt(V(k))
//     G(k)  += r(k) - eta(k) r(k)^2
//     w(k)   ~ eta(k) exp(eta(k) G(k))
//
// An expert whose regret has never left 0 (by 1e-12) has no learning rate yet: it keeps 1/K, and
// the others share the rest. Regret to the best single expert of order sqrt( sum_t r_t(k)^2 ln K );
// no bound against switching paths. Wintenberger, Optimal learning with Bernstein online
// aggregation, 2017; learning rates as in the R package opera 1.2.2.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "methods/methods.h"

namespace pcgs {

namespace {

// Collects the logarithms of the rated experts' weights, in the place of the weights, and turns them
// into weights: an expert without a rate keeps 1/K, and the others share the rest.
class RatedWeights {
 public:
  explicit RatedWeights(std::span<double> weights) : weights_(weights) {}

  void rate(std::size_t expert, double log_weight) {
    weights_[expert] = log_weight;
    highest_ = rated_ == 0 ? log_weight : std::max(highest_, log_weight);
    ++rated_;
  }

  // is_rated(k) says for whom rate() was called.
  template <class IsRated>
  void share_out(const IsRated& is_rated) {
    double total = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      if (!is_rated(k)) continue;
      weights_[k] = std::exp(weights_[k] - highest_);
      total += weights_[k];
    }
    const double uniform = 1.0 / static_cast<double>(weights_.size());
    const double share = static_cast<double>(rated_) * uniform;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      weights_[k] = is_rated(k) ? weights_[k] / total * share : uniform;
    }
  }

 private:
  std::span<double> weights_;  // [K]
  double highest_ = 0;         // of the logarithms
  std::size_t rated_ = 0;
};

class Boa final : public Method {
 public:
  explicit Boa(std::size_t experts)
      : variance_(experts, 0.0),
        gain_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)) {}

  std::string name() const override { return "boa"; }
  std::span<const double> weights() const override { return weights_; }

  void learn(const Round& round) override {
    const std::size_t experts = gain_.size();
    RatedWeights rated(weights_);
    for (std::size_t k = 0; k < experts; ++k) {
      const double r = instantaneous_regret(round, k);
      variance_[k] += 2.2 * r * r;
      if (!is_rated(k)) continue;
      const double eta = 1 / std::sqrt(variance_[k]);
      gain_[k] += r - eta * r * r;
      rated.rate(k, std::log(eta) + eta * gain_[k]);
    }
    rated.share_out([&](std::size_t k) { return is_rated(k); });
  }

  void save(StateWriter& out) const override {
    out.experts(variance_, 0);
    out.experts(gain_, 0);
    out.weights(weights_);
  }
  void load(StateReader& in) override {
    load_finite(in, variance_, 0, "a sum of squared regrets");
    load_finite(in, gain_, -1e200, "a regret");
    load_weights(in, weights_);
  }

 private:
  bool is_rated(std::size_t k) const { return variance_[k] >= kLeastVariance; }

  // Losses are of order 1: a regret below 1e-12 is rounding, and dividing by it would let rounding
  // decide who gets the weight.
  static constexpr double kLeastVariance = 1e-24;

  std::vector<double> variance_;  // [K] V
  std::vector<double> gain_;      // [K] G
  std::vector<double> weights_;   // [K]
};

// BOA with rates that are bounded by the largest regret, as first published:
//
//     r(k)   = learner's loss - l(k)      V(k) = sum of r(k)^2      B(k) = |r(k)| at its largest,
//                                                                   rounded up to a power of two
//     eta(k) = min( 1 / B(k), sqrt(ln K / V(k)) )
//     G(k)  += ( r(k) - eta(k) r(k)^2 + B(k) [eta(k) r(k) > 1/2] ) / 2
//     w(k)   ~ eta(k) exp(eta(k) G(k))
//
// An expert whose regret has never left 0 (by 1e-12) keeps 1/K. Regret and source as above; the
// rates are those of the R package opera up to 1.2.0.
class BoaDoubling final : public Method {
 public:
  explicit BoaDoubling(std::size_t experts)
      : squares_(experts, 0.0),
        largest_(experts, 0.0),
        gain_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)) {}

  std::string name() const override { return "boa{doubling=1}"; }
  std::span<const double> weights() const override { return weights_; }

  void learn(const Round& round) override {
    const std::size_t experts = gain_.size();
    const double log_experts = std::log(static_cast<double>(std::max<std::size_t>(2, experts)));
    RatedWeights rated(weights_);
    for (std::size_t k = 0; k < experts; ++k) {
      const double r = instantaneous_regret(round, k);
      squares_[k] += r * r;
      largest_[k] = std::max(largest_[k], std::abs(r));
      if (!is_rated(k)) continue;
      const double bound = std::exp2(std::ceil(std::log2(largest_[k])));
      const double rate = std::min(1 / bound, std::sqrt(log_experts / squares_[k]));
      gain_[k] += (r - rate * r * r + (rate * r > 0.5 ? bound : 0)) / 2;
      rated.rate(k, std::log(rate) + rate * gain_[k]);
    }
    rated.share_out([&](std::size_t k) { return is_rated(k); });
  }

  void save(StateWriter& out) const override {
    out.experts(squares_, 0);
    out.experts(largest_, 0);
    out.experts(gain_, 0);
    out.weights(weights_);
  }
  void load(StateReader& in) override {
    load_finite(in, squares_, 0, "a sum of squared regrets");
    load_finite(in, largest_, 0, "a regret");
    load_finite(in, gain_, -1e200, "a gain");
    load_weights(in, weights_);
    for (std::size_t k = 0; k < gain_.size(); ++k) {
      if (largest_[k] >= kLeastRegret && !(squares_[k] >= 0.99 * largest_[k] * largest_[k])) {
        in.fail("a regret in it has no square");
      }
    }
  }

 private:
  bool is_rated(std::size_t k) const { return largest_[k] >= kLeastRegret; }

  // Losses are of order 1: a smaller regret is rounding, and must not decide who gets the weight.
  static constexpr double kLeastRegret = 1e-12;

  std::vector<double> squares_;  // [K] V
  std::vector<double> largest_;  // [K] the largest |r|
  std::vector<double> gain_;     // [K] G
  std::vector<double> weights_;  // [K]
};

}  // namespace

std::unique_ptr<Method> make_boa(std::size_t experts) { return std::make_unique<Boa>(experts); }

std::unique_ptr<Method> make_boa_doubling(std::size_t experts) {
  return std::make_unique<BoaDoubling>(experts);
}

}  // namespace pcgs
