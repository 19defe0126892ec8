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
#include <cmath>
#include <vector>

#include "methods/methods.h"
#include "methods/rated_weights.h"
#include "methods/state_checks.h"

namespace pcgs {

namespace {

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

}  // namespace

std::unique_ptr<Method> make_boa(std::size_t experts) { return std::make_unique<Boa>(experts); }

}  // namespace pcgs
