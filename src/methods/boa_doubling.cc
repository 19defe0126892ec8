// BOA with rates that are bounded by the largest regret, as first published:
//
//     r(k)   = learner's loss - l(k)      V(k) = sum of r(k)^2      B(k) = |r(k)| at its largest,
//                                                                   rounded up to a power of two
//     eta(k) = min( 1 / B(k), sqrt(ln K / V(k)) )
//     G(k)  += ( r(k) - eta(k) r(k)^2 + B(k) [eta(k) r(k) > 1/2] ) / 2
//     w(k)   ~ eta(k) exp(eta(k) G(k))
//
// An expert whose regret has never left 0 (by 1e-12) keeps 1/K. Regret and source as in boa.cc; the
// rates are those of the R package opera up to 1.2.0.
#include <algorithm>
#include <cmath>
#include <vector>

#include "methods/methods.h"
#include "methods/rated_weights.h"
#include "methods/state_checks.h"

namespace pcgs {

namespace {

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

std::unique_ptr<Method> make_boa_doubling(std::size_t experts) {
  return std::make_unique<BoaDoubling>(experts);
}

}  // namespace pcgs
