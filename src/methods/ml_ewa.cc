// ML-EWA: exponential weights with a learning rate for each expert.
//
//     r(k) = learner's loss - l(k)      R(k) = sum of r(k)      V(k) = sum of r(k)^2
//     w(k) ~ exp( R(k) sqrt(ln K / V(k)) )
//
// An expert whose regret has never left 0 (by 1e-12) counts with exp(0). Nothing is proved about
// it; on real series it is the strongest of the R package opera's methods, whose MLewa it is.
#include <cmath>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"
#include "methods/state_checks.h"

namespace pcgs {

namespace {

class MlEwa final : public Method {
 public:
  explicit MlEwa(std::size_t experts)
      : regret_(experts, 0.0),
        squares_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)) {}

  std::string name() const override { return "ml-ewa"; }
  std::span<const double> weights() const override { return weights_; }

  void learn(const Round& round) override {
    const double log_experts = std::log(static_cast<double>(regret_.size()));
    for (std::size_t k = 0; k < regret_.size(); ++k) {
      const double r = instantaneous_regret(round, k);
      regret_[k] += r;
      squares_[k] += r * r;
      const bool rated = squares_[k] > kLeastSquares;
      weights_[k] = rated ? -regret_[k] * std::sqrt(log_experts / squares_[k]) : 0;
    }
    kernels::softmin(weights_, 1, weights_);
  }

  void save(StateWriter& out) const override {
    out.f64s(regret_);
    out.f64s(squares_);
    out.f64s(weights_);
  }
  void load(StateReader& in) override {
    load_finite(in, regret_, -1e200, "a regret");
    load_finite(in, squares_, 0, "a sum of squared regrets");
    load_weights(in, weights_);
  }

 private:
  // Losses are of order 1: a regret below 1e-12 is rounding, and must not decide.
  static constexpr double kLeastSquares = 1e-24;

  std::vector<double> regret_;   // [K] R
  std::vector<double> squares_;  // [K] V
  std::vector<double> weights_;  // [K]
};

}  // namespace

std::unique_ptr<Method> make_ml_ewa(std::size_t experts) {
  return std::make_unique<MlEwa>(experts);
}

}  // namespace pcgs
