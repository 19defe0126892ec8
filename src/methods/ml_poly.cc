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

#include "methods/second_order.h"

namespace pcgs {

namespace {

class MlPoly final : public SecondOrder {
 public:
  using SecondOrder::SecondOrder;

  std::string name() const override { return "ml-poly"; }

  void learn(const Round& round) override {
    const std::size_t experts = regret_.size();
    for (std::size_t k = 0; k < experts; ++k) {
      const double r = add(round, k);
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
    SecondOrder::save(out);
  }
  void load(StateReader& in) override {
    largest_ = in.f64_within(0, 1e200, "the largest squared regret");
    SecondOrder::load(in);
  }

 private:
  // Losses are of order 1: a smaller regret is rounding, and must not decide who gets the weight.
  static constexpr double kLeastRegret = 1e-12;

  double largest_ = 0;  // B
};

}  // namespace

std::unique_ptr<Method> make_ml_poly(std::size_t experts) {
  return std::make_unique<MlPoly>(experts);
}

}  // namespace pcgs
