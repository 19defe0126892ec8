// ML-Prod: products instead of exponentials, with a learning rate for each expert.
//
//     r(k)   = learner's loss - l(k)      V(k) = 1 + sum of r(k)^2      B(k) = largest |r(k)|
//     eta(k) = min( 1 / (2 B(k)), sqrt(ln K / V(k)) ),  infinite at first
//     G(k)   = (eta(k) / the eta(k) before) G(k) + ln(1 + eta(k) r(k))
//     w(k)   ~ eta(k) exp(G(k))
//
// Regret to expert k of order sqrt( V(k) ln K ); no bound against switching paths. Gaillard, Stoltz
// and van Erven, A second-order bound with excess losses, 2014, Corollary 4; rates as in the R
// package opera 1.2.0.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"
#include "methods/state_checks.h"

namespace pcgs {

namespace {

class MlProd final : public Method {
 public:
  // With one expert ln K would be 0, and nobody would have a rate.
  explicit MlProd(std::size_t experts)
      : log_experts_(std::log(static_cast<double>(std::max<std::size_t>(2, experts)))),
        squares_(experts, 1.0),
        largest_(experts, 0.0),
        rate_(experts, 0.0),
        gain_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)) {}

  std::string name() const override { return "ml-prod"; }
  std::span<const double> weights() const override { return weights_; }

  void learn(const Round& round) override {
    for (std::size_t k = 0; k < rate_.size(); ++k) {
      const double r = instantaneous_regret(round, k);
      squares_[k] += r * r;
      largest_[k] = std::max(largest_[k], std::abs(r));
      const double rate = rate_now(k);
      const double kept = rate_[k] > 0 ? rate / rate_[k] : 0;  // the first rate was infinite
      gain_[k] = kept * gain_[k] + std::log1p(rate * r);
      rate_[k] = rate;
      weights_[k] = -std::log(rate) - gain_[k];
    }
    kernels::softmin(weights_, 1, weights_);
  }

  void save(StateWriter& out) const override {
    out.experts(squares_, 1);
    out.experts(largest_, 0);
    if (out.change() == nullptr) {
      out.f64s(rate_);
      out.f64s(gain_);
    } else {
      save_rates(out, *out.change());
    }
    out.weights(weights_);
  }
  void load(StateReader& in) override {
    load_finite(in, squares_, 1, "a sum of squared regrets");
    load_finite(in, largest_, 0, "a regret");
    load_finite(in, rate_, 0, "a rate");
    load_finite(in, gain_, -1e200, "a gain");
    load_weights(in, weights_);
    for (std::size_t k = 0; k < rate_.size(); ++k) {
      const bool fresh = rate_[k] == 0 && squares_[k] == 1 && largest_[k] == 0 && gain_[k] == 0;
      if (!fresh && rate_[k] != rate_now(k)) in.fail("a rate in it is not that of its regrets");
    }
  }

 private:
  // Rates depend on the number of experts, and a gain changes with its rate.
  void save_rates(StateWriter& out, const ExpertChange& change) const {
    const MlProd after(change.after());
    std::vector<double> rates = rate_, gains = gain_;
    for (std::size_t k = 0; k < rates.size(); ++k) {
      if (rates[k] == 0) continue;
      rates[k] = rate_of(k, after.log_experts_);
      gains[k] *= rates[k] / rate_[k];
    }
    out.experts(rates, 0);
    out.experts(gains, 0);
  }

  double rate_now(std::size_t k) const { return rate_of(k, log_experts_); }

  double rate_of(std::size_t k, double log_experts) const {
    const double rate = std::sqrt(log_experts / squares_[k]);
    return largest_[k] > 0 ? std::min(rate, 1 / (2 * largest_[k])) : rate;
  }

  double log_experts_;
  std::vector<double> squares_;  // [K] V
  std::vector<double> largest_;  // [K] B
  std::vector<double> rate_;     // [K] eta; 0 before the first round
  std::vector<double> gain_;     // [K] G
  std::vector<double> weights_;  // [K]
};

}  // namespace

std::unique_ptr<Method> make_ml_prod(std::size_t experts) {
  return std::make_unique<MlProd>(experts);
}

}  // namespace pcgs
