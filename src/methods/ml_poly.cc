// ML-Poly: weights proportional to positive regrets, each with its own learning rate.
//
//     r(k) = learner's loss - l(k)      R(k) = sum of r(k)      V(k) = sum of r(k)^2
//     B    = largest r(j)^2 of any expert so far
//     w(k) ~ max(R(k), 0) / (B + V(k)),  uniform when no regret is positive (above 1e-12)
//
// Regret to expert k of order sqrt( K V(k) ), up to logarithms of V: small against an expert that
// is followed closely. No bound against switching paths. Gaillard, Stoltz and van Erven, A
// second-order bound with excess losses, 2014, Theorem 5; the scale B as in the R package opera.
#include <algorithm>
#include <vector>

#include "methods/methods.h"
#include "methods/state_checks.h"

namespace pcgs {

namespace {

class MlPoly final : public Method {
 public:
  explicit MlPoly(std::size_t experts)
      : regret_(experts, 0.0),
        squares_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)) {}

  std::string name() const override { return "ml-poly"; }
  std::span<const double> weights() const override { return weights_; }

  void learn(const Round& round) override {
    const std::size_t experts = regret_.size();
    for (std::size_t k = 0; k < experts; ++k) {
      const double r = instantaneous_regret(round, k);
      regret_[k] += r;
      squares_[k] += r * r;
      largest_ = std::max(largest_, r * r);
    }
    double total = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      weights_[k] = regret_[k] > kLeastRegret ? regret_[k] / (largest_ + squares_[k]) : 0;
      total += weights_[k];
    }
    const double uniform = 1.0 / static_cast<double>(experts);
    for (double& w : weights_) w = total > 0 ? w / total : uniform;
  }

  void save(StateWriter& out) const override {
    out.f64(largest_);
    out.f64s(regret_);
    out.f64s(squares_);
    out.f64s(weights_);
  }
  void load(StateReader& in) override {
    largest_ = in.f64_within(0, 1e200, "the largest squared regret");
    load_finite(in, regret_, -1e200, "a regret");
    load_finite(in, squares_, 0, "a sum of squared regrets");
    load_weights(in, weights_);
    for (std::size_t k = 0; k < regret_.size(); ++k) {
      // By Cauchy and Schwarz, with room for more rounds than there can be.
      if (regret_[k] * regret_[k] > 1e15 * squares_[k]) in.fail("a regret in it has no square");
    }
  }

 private:
  // Losses are of order 1: a smaller regret is rounding, and must not decide who gets the weight.
  static constexpr double kLeastRegret = 1e-12;

  double largest_ = 0;           // B
  std::vector<double> regret_;   // [K] R
  std::vector<double> squares_;  // [K] V
  std::vector<double> weights_;  // [K]
};

}  // namespace

std::unique_ptr<Method> make_ml_poly(std::size_t experts) {
  return std::make_unique<MlPoly>(experts);
}

}  // namespace pcgs
