// Squint: an average over all learning rates, so that none has to be chosen.
//
//     r(k) = learner's loss - l(k)      R(k) = sum of r(k)      V(k) = sum of r(k)^2
//     w(k) ~ integral over x in [0, 1/2] of exp(x R(k) - x^2 V(k)) dx
//
// that is, the improper prior dx/x over learning rates. Regret to the best single expert
// O( sqrt(V (ln K + ln ln T)) ); no bound against switching paths.
// Koolen and van Erven, Second-order quantile methods for experts and combinatorial games, 2015.
#include <algorithm>
#include <cmath>

#include "core/kernels.h"
#include "methods/second_order.h"

namespace pcgs {

namespace {

// exp(x^2) erfc(x) for x >= 0, without overflow.
double scaled_erfc(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  const double y = 1 / (2 * x * x);
  const double series =
      1 - y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y * (1 - 9 * y * (1 - 11 * y)))));
  return series / (x * std::sqrt(M_PI));
}

// ln of the integral of exp(x R - x^2 V) over [0, 1/2].
//
// With s = sqrt(V), a = R / (2 s) and b = a - s/2, the integral is
// exp(a^2) / s * ( erf(a) - erf(b) ) sqrt(pi) / 2. Each branch writes the difference so that
// nothing cancels and nothing overflows.
double log_evidence(double regret, double variance) {
  const double exponent_at_half = regret / 2 - variance / 4;
  if (std::abs(regret) / 2 + variance / 4 < 1) {
    // The integrand is nearly flat: Gauss-Legendre with 8 points is exact to the last bits, where
    // the error functions would cancel.
    constexpr double kNodes[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                 0.9602898564975363};
    constexpr double kWeights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                   0.1012285362903763};
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      for (const double node : {kNodes[i], -kNodes[i]}) {
        const double x = (1 + node) / 4;
        sum += kWeights[i] * std::exp(x * (regret - x * variance));
      }
    }
    return std::log(sum / 4);
  }
  const double s = std::sqrt(variance);
  const double a = regret / (2 * s);
  const double b = a - s / 2;
  const double log_front = std::log(std::sqrt(M_PI) / 2 / s);
  if (b >= 0) {  // the integrand still rises at 1/2
    const double tail = scaled_erfc(b) - std::exp(-exponent_at_half) * scaled_erfc(a);
    return exponent_at_half + std::log(tail) + log_front;
  }
  if (a <= 0) {  // it falls from 0 on
    const double tail = scaled_erfc(-a) - std::exp(exponent_at_half) * scaled_erfc(-b);
    return std::log(tail) + log_front;
  }
  return a * a + std::log(std::erf(a) - std::erf(b)) + log_front;
}

class Squint final : public SecondOrder {
 public:
  using SecondOrder::SecondOrder;

  std::string name() const override { return "squint"; }

  void learn(const Round& round) override {
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      add(round, k);
      weights_[k] = -log_evidence(regret_[k], squares_[k]);
    }
    kernels::softmin(weights_, 1, weights_);
  }

  void load(StateReader& in) override { load_from(in, -1e15); }
};

}  // namespace

std::unique_ptr<Method> make_squint(std::size_t experts) {
  return std::make_unique<Squint>(experts);
}

}  // namespace pcgs
