// ML-Poly, ML-Prod, ML-EWA, Squint and BOA: they know of each expert how much regret there is to it and
// how uneven it is.
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

// Losses are of order 1: a smaller regret is rounding, and must not decide who gets the weight.
constexpr double kLeastRegret = 1e-12;
constexpr double kLeastSquares = 1e-24;

// r(k): what the learner would have saved by following expert k. Zero for sleepers.
double regret_of(const Round& round, std::size_t k) {
  return round.is_awake(k) ? round.learner_loss - round.losses[k] : 0;
}

// ln K; with one expert it would be 0, and nobody would have a rate.
double log_of(std::size_t experts) {
  return std::log(static_cast<double>(std::max<std::size_t>(2, experts)));
}

// Keeps some numbers of each expert. Its state file holds them, column after column, and the weights.
class RegretMethod : public Method {
 public:
  struct Column {
    const char* what;  // for messages
    double least;      // that a state may hold
    double fresh = 0;  // a newcomer's
  };

  RegretMethod(const char* name, std::size_t experts, std::vector<Column> columns)
      : weights_(experts, 1.0 / static_cast<double>(experts)),
        name_(name),
        columns_(std::move(columns)) {
    for (const Column& column : columns_) numbers_.emplace_back(experts, column.fresh);
  }
  RegretMethod(const RegretMethod&) = delete;  // others hold its columns

  std::string name() const final { return name_; }
  std::span<const double> weights() const final { return weights_; }

  void save(StateWriter& out) const override {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      out.experts(saved(i, out.change()), columns_[i].fresh);
    }
    out.weights(weights_);
  }
  void load(StateReader& in) override {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      load_finite(in, numbers_[i], columns_[i].least, columns_[i].what);
    }
    load_weights(in, weights_);
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      if (!consistent(k)) in.fail("a regret in it has no square, or not its rate");
    }
  }

 protected:
  std::span<double> column(std::size_t i) { return numbers_[i]; }
  // What is kept of those that stay when the experts change.
  virtual std::vector<double> saved(std::size_t i, const ExpertChange* /*change*/) const {
    return numbers_[i];
  }
  // Whether the numbers of an expert can stand beside each other.
  virtual bool consistent(std::size_t k) const = 0;

  std::vector<double> weights_;  // [K]

 private:
  const char* name_;
  std::vector<Column> columns_;
  std::vector<std::vector<double>> numbers_;  // [columns x K]
};

class SecondOrder : public RegretMethod {
 public:
  SecondOrder(const char* name, std::size_t experts, double least_regret = -1e200)
      : RegretMethod(name, experts, {{"a regret", least_regret}, {"a sum of squared regrets", 0}}) {
  }

 protected:
  // Takes in r(k), and returns it.
  double add(const Round& round, std::size_t k) {
    const double r = regret_of(round, k);
    regret_[k] += r;
    squares_[k] += r * r;
    return r;
  }
  // By Cauchy and Schwarz, with room for more rounds than there can be.
  bool consistent(std::size_t k) const override {
    return !(regret_[k] * regret_[k] > 1e15 * squares_[k]);
  }

  std::span<double> regret_ = column(0), squares_ = column(1);  // [K] R, V
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
  explicit MlPoly(std::size_t experts) : SecondOrder("ml-poly", experts) {}

  void learn(const Round& round) override {
    const std::size_t experts = weights_.size();
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
class MlProd final : public RegretMethod {
 public:
  explicit MlProd(std::size_t experts)
      : RegretMethod("ml-prod", experts,
                     {{"a sum of squared regrets", 1, 1},
                      {"a regret", 0},
                      {"a rate", 0},
                      {"a gain", -1e200}}),
        log_experts_(log_of(experts)) {}

  void learn(const Round& round) override {
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const double r = regret_of(round, k);
      squares_[k] += r * r;
      largest_[k] = std::max(largest_[k], std::abs(r));
      const double rate = rate_of(k, log_experts_);
      const double kept = rate_[k] > 0 ? rate / rate_[k] : 0;  // the first rate was infinite
      gain_[k] = kept * gain_[k] + std::log1p(rate * r);
      rate_[k] = rate;
      weights_[k] = -std::log(rate) - gain_[k];
    }
    kernels::softmin(weights_, 1, weights_);
  }

 private:
  enum { kSquares, kLargest, kRate, kGain };

  // Rates depend on the number of experts, and a gain changes with its rate.
  std::vector<double> saved(std::size_t i, const ExpertChange* change) const override {
    std::vector<double> out = RegretMethod::saved(i, change);
    for (std::size_t k = 0; k < out.size() && change != nullptr; ++k) {
      if (i < kRate || rate_[k] == 0) continue;
      const double rate = rate_of(k, log_of(change->after()));
      out[k] = i == kRate ? rate : out[k] * (rate / rate_[k]);
    }
    return out;
  }
  bool consistent(std::size_t k) const override {
    const bool fresh = rate_[k] == 0 && squares_[k] == 1 && largest_[k] == 0 && gain_[k] == 0;
    return fresh || rate_[k] == rate_of(k, log_experts_);
  }
  double rate_of(std::size_t k, double log_experts) const {
    const double rate = std::sqrt(log_experts / squares_[k]);
    return largest_[k] > 0 ? std::min(rate, 1 / (2 * largest_[k])) : rate;
  }

  double log_experts_;
  std::span<double> squares_ = column(kSquares), largest_ = column(kLargest);  // [K] V, B
  std::span<double> rate_ = column(kRate), gain_ = column(kGain);  // [K] eta (0 at first), G
};

// ML-EWA: exponential weights with a learning rate for each expert.
//
//     w(k) ~ exp( R(k) sqrt(ln K / V(k)) )
//
// An expert whose regret has never left 0 (by 1e-12) counts with exp(0). Nothing is proved about
// it; on real series it is the strongest of the R package opera's methods, whose MLewa it is.
class MlEwa final : public SecondOrder {
 public:
  explicit MlEwa(std::size_t experts) : SecondOrder("ml-ewa", experts) {}

  void learn(const Round& round) override {
    const double log_experts = std::log(static_cast<double>(weights_.size()));
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      add(round, k);
      const bool rated = squares_[k] > kLeastSquares;
      weights_[k] = rated ? -regret_[k] * std::sqrt(log_experts / squares_[k]) : 0;
    }
    kernels::softmin(weights_, 1, weights_);
  }
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
  explicit Squint(std::size_t experts) : SecondOrder("squint", experts, -1e15) {}

  void learn(const Round& round) override {
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      add(round, k);
      weights_[k] = -log_evidence(regret_[k], squares_[k]);
    }
    kernels::softmin(weights_, 1, weights_);
  }
};

// BOA, Bernstein online aggregation: exponential weights on regrets that are charged for their
// squares, with a learning rate for each expert.
//
//     r(k)   = learner's loss - l(k)      V(k) += 2.2 r(k)^2      eta(k) = 1 / sqrt(V(k))
//     G(k)  += r(k) - eta(k) r(k)^2
//     w(k)   ~ eta(k) exp(eta(k) G(k))
//
// or, with `doubling`, with rates that are bounded by the largest regret, as first published:
//
//     V(k)  += r(k)^2       B(k) = |r(k)| at its largest, rounded up to a power of two
//     eta(k) = min( 1 / B(k), sqrt(ln K / V(k)) )
//     G(k)  += ( r(k) - eta(k) r(k)^2 + B(k) [eta(k) r(k) > 1/2] ) / 2
//
// An expert whose regret has never left 0 (by 1e-12) has no learning rate yet: it keeps 1/K, and
// the others share the rest. Regret to the best single expert of order sqrt( sum_t r_t(k)^2 ln K );
// no bound against switching paths. Wintenberger, Optimal learning with Bernstein online
// aggregation, 2017; learning rates as in the R package opera 1.2.2, and up to 1.2.0.
template <bool kDoubling>
class Boa final : public RegretMethod {
 public:
  explicit Boa(std::size_t experts)
      : RegretMethod(kDoubling ? "boa{doubling=1}" : "boa", experts,
                     {{"a sum of squared regrets", 0}, {"a gain", -1e200}, {"a regret", 0}}) {}

  void learn(const Round& round) override {
    const std::size_t experts = weights_.size();
    std::size_t rated = 0;
    double highest = 0;  // of the logarithms of weights, which stand in their places
    for (std::size_t k = 0; k < experts; ++k) {
      const double r = regret_of(round, k);
      squares_[k] += kDoubling ? r * r : 2.2 * r * r;
      if constexpr (kDoubling) largest_[k] = std::max(largest_[k], std::abs(r));
      if (!is_rated(k)) continue;
      double rate = 0;
      if constexpr (kDoubling) {
        const double bound = std::exp2(std::ceil(std::log2(largest_[k])));
        rate = std::min(1 / bound, std::sqrt(log_experts_ / squares_[k]));
        gain_[k] += (r - rate * r * r + (rate * r > 0.5 ? bound : 0)) / 2;
      } else {
        rate = 1 / std::sqrt(squares_[k]);
        gain_[k] += r - rate * r * r;
      }
      weights_[k] = std::log(rate) + rate * gain_[k];
      highest = rated++ == 0 ? weights_[k] : std::max(highest, weights_[k]);
    }
    double total = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      if (is_rated(k)) total += weights_[k] = std::exp(weights_[k] - highest);
    }
    const double uniform = 1.0 / static_cast<double>(experts);
    const double share = static_cast<double>(rated) * uniform;
    for (std::size_t k = 0; k < experts; ++k) {
      weights_[k] = is_rated(k) ? weights_[k] / total * share : uniform;
    }
  }

 private:
  bool is_rated(std::size_t k) const {
    return kDoubling ? largest_[k] >= kLeastRegret : squares_[k] >= kLeastSquares;
  }
  bool consistent(std::size_t k) const override {
    return !(largest_[k] >= kLeastRegret && !(squares_[k] >= 0.99 * largest_[k] * largest_[k]));
  }

  double log_experts_ = log_of(weights_.size());
  std::span<double> squares_ = column(0), gain_ = column(1);  // [K] V, G
  std::span<double> largest_ = column(2);  // [K] B before it is rounded up; 0 without `doubling`
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
std::unique_ptr<Method> make_boa(std::size_t experts) {
  return std::make_unique<Boa<false>>(experts);
}
std::unique_ptr<Method> make_boa_doubling(std::size_t experts) {
  return std::make_unique<Boa<true>>(experts);
}

}  // namespace pcgs
