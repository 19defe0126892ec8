// ML-EWA: exponential weights with a learning rate for each expert.
//
//     r(k) = learner's loss - l(k)      R(k) = sum of r(k)      V(k) = sum of r(k)^2
//     w(k) ~ exp( R(k) sqrt(ln K / V(k)) )
//
// An expert whose regret has never left 0 (by 1e-12) counts with exp(0). Nothing is proved about
// it; on real series it is the strongest of the R package opera's methods, whose MLewa it is.
#include <cmath>

#include "core/kernels.h"
#include "methods/second_order.h"

namespace pcgs {

namespace {

class MlEwa final : public SecondOrder {
 public:
  using SecondOrder::SecondOrder;

  std::string name() const override { return "ml-ewa"; }

  void learn(const Round& round) override {
    const double log_experts = std::log(static_cast<double>(regret_.size()));
    for (std::size_t k = 0; k < regret_.size(); ++k) {
      add(round, k);
      const bool rated = squares_[k] > kLeastSquares;
      weights_[k] = rated ? -regret_[k] * std::sqrt(log_experts / squares_[k]) : 0;
    }
    kernels::softmin(weights_, 1, weights_);
  }

 private:
  // Losses are of order 1: a regret below 1e-12 is rounding, and must not decide.
  static constexpr double kLeastSquares = 1e-24;
};

}  // namespace

std::unique_ptr<Method> make_ml_ewa(std::size_t experts) {
  return std::make_unique<MlEwa>(experts);
}

}  // namespace pcgs
