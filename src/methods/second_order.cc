// ML-Poly, ML-Prod, ML-EWA and Squint: they know of each expert how much regret there is to it and how
// uneven it is.
//
//     r(k) = learner's loss - l(k)      R(k) = sum of r(k)      V(k) = sum of r(k)^2
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"

namespace pcgs {

namespace {

// Its state file holds R, V and the weights, in this order.
class SecondOrder : public Method {
 public:
  explicit SecondOrder(std::size_t experts)
      : regret_(experts, 0.0),
        squares_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)) {}

  std::span<const double> weights() const final { return weights_; }
  void save(StateWriter& out) const override {
    out.experts(regret_, 0);
    out.experts(squares_, 0);
    out.weights(weights_);
  }
  void load(StateReader& in) override { load_from(in, -1e200); }

 protected:
  // Takes in r(k), and returns it.
  double add(const Round& round, std::size_t k) {
    const double r = instantaneous_regret(round, k);
    regret_[k] += r;
    squares_[k] += r * r;
    return r;
  }

  void load_from(StateReader& in, double least_regret) {
    load_finite(in, regret_, least_regret, "a regret");
    load_finite(in, squares_, 0, "a sum of squared regrets");
    load_weights(in, weights_);
    for (std::size_t k = 0; k < regret_.size(); ++k) {
      // By Cauchy and Schwarz, with room for more rounds than there can be.
      if (regret_[k] * regret_[k] > 1e15 * squares_[k]) in.fail("a regret in it has no square");
    }
  }

  std::vector<double> regret_;   // [K] R
  std::vector<double> squares_;  // [K] V
  std::vector<double> weights_;  // [K]
};

// ML-Poly: weights proportional to positive regrets, each with its own learning rate.
//
//     B    = largest r(j)^2 of any expert so far
//     w(k) ~ max(R(k), 0) / (B + V(k)),  uniform when no regret is positive (above 1e-12)
//
// Regret to expert k of order sqrt( K V(k) ), up to logarithms of V: small against an expert that
// is followed closely. No bound against switching paths. Gaillard, Stoltz and van Erven, A
// second-order bound with excess losses, 2014, Theorem 5; the scale B as in the R package opera.
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

// ML-EWA: exponential weights with a learning rate for each expert.
//
//     w(k) ~ exp( R(k) sqrt(ln K / V(k)) )
//
// An expert whose regret has never left 0 (by 1e-12) counts with exp(0). Nothing is proved about
// it; on real series it is the strongest of the R package opera's methods, whose MLewa it is.
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

// Squint: an average over all learning rates, so that none has to be chosen.
//
//     w(k) ~ integral over x in [0, 1/2] of exp(x R(k) - x^2 V(k)) dx
//
// that is, the improper prior dx/x over learning rates. Regret to the best single expert
// O( sqrt(V (ln K + ln ln T)) ); no bound against switching paths.
// Koolen and van Erven, Second-order quantile methods for experts and combinatorial games, 2015.

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

std::unique_ptr<Method> make_ml_poly(std::size_t experts) {
  return std::make_unique<MlPoly>(experts);
}

std::unique_ptr<Method> make_ml_prod(std::size_t experts) {
  return std::make_unique<MlProd>(experts);
}

std::unique_ptr<Method> make_ml_ewa(std::size_t experts) {
  return std::make_unique<MlEwa>(experts);
}

std::unique_ptr<Method> make_squint(std::size_t experts) {
  return std::make_unique<Squint>(experts);
}

}  // namespace pcgs
