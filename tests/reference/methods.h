// Other methods, from their formulas: AdaHedge, BOA, ML-Poly, Squint, guard; and the BCa bootstrap.
#pragma once

#include <memory>
#include <vector>

#include "reference/shares.h"

namespace pcgs::reference {

// AdaHedge (de Rooij, van Erven, Grünwald & Koolen 2014).
//
//     eta_t = ln K / Delta_{t-1}        w_t ~ exp(-eta_t L_{t-1})
//     Delta_t = Delta_{t-1} + <w_t,l_t> - (M_t - M_{t-1})
//     M_t = -(1/eta_t) ln( (1/K) sum_k exp(-eta_t L_t(k)) ),  both M at the same eta_t
//
// While Delta is 0, eta is infinite: w uniform over the leaders, M the smallest L.
class AdaHedge final : public Learner {
 public:
  explicit AdaHedge(std::size_t experts) : total_losses_(experts, 0) {}

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  std::vector<long double> exact_weights() const;

  long double delta_ = 0;
  std::vector<long double> total_losses_;  // [K] L
};

// Learns from regrets, r = learner_loss - l(k), 0 while asleep: R += r, V += r^2, B = the largest r^2 so far.
class Regrets : public Learner {
 public:
  explicit Regrets(std::size_t experts) : regret_(experts, 0), squares_(experts, 0) {}
  void learn(const FinishedRound& round) final;

 protected:
  virtual void add(std::size_t k, long double r);
  std::vector<long double> regret_, squares_;  // [K] R, V
  long double largest_square_ = 0;             // B
};

// BOA, Bernstein online aggregation (Wintenberger 2017), as the package opera plays it.
//
//     V += 2.2 r^2;  e = 1/sqrt(V);  R += r - e r^2;  w ~ e exp(e R)
//
// Experts with V = 0 each keep 1/K; the others share the rest.
class Boa final : public Regrets {
 public:
  using Regrets::Regrets;
  std::vector<double> weights() const override;

 private:
  void add(std::size_t k, long double r) override;
};

// ML-Poly (Gaillard, Stoltz & van Erven 2014), as the package opera plays it.
//
//     w ~ max(R,0) / (B + V), uniform when no R > 0
struct MlPoly final : Regrets {
  using Regrets::Regrets;
  std::vector<double> weights() const override;
};

// Squint (Koolen & van Erven 2015) with the improper prior d(eta)/eta on [0,1/2], by numerical
// integration.
//
//     w(k) ~ integral over x in [0,1/2] of exp(x R_k - x^2 V_k)
struct Squint final : Regrets {
  using Regrets::Regrets;
  std::vector<double> weights() const override;
};

// Guard: AdaHedge with a prior over a bank of share filters, ML-Poly, BOA, AdaHedge and whoever
// else is given.
//
//     filters    eta in {0.5,1,...,256}; for each, uniform restarts with rho in {0,3e-4,1e-3,3e-3,
//                1e-2,3e-2,0.1}, then restarts at rho = c/(t+1), c in {0.1,0.3,1}, to the mean of
//                1/K and the posteriors of rounds 1..t
//     prior      `learned` for the one given, 0.05 for each of the three methods, the rest to
//                filters ~ sqrt(eta) times 1, 1/2, ..., 1/64 (rho) or 1/4 (past)
//     eta_t      = ln M / Delta_{t-1}, Delta_0 = 1e-9      p_t ~ prior exp(-eta_t C_{t-1})
//     Delta_t    = Delta_{t-1} + <p_t,l_t> - (mix loss of round t at eta_t)
class Guard final : public Learner {
 public:
  explicit Guard(std::size_t experts, std::unique_ptr<Learner> learned = nullptr, double share = 0);

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

  // Delta - (1/eta) ln sum over filters with constant rho of prior exp(-eta E), with
  // E = gaps + (1/eta') [ ln K + S ln(K/rho) - (T-1-S) ln(1-rho+rho/K) ], eta = ln M / Delta.
  double switching_bound(std::size_t switches) const;

 private:
  struct Filter {
    LogShare share;
    double eta, rho, c;                   // rho: uniform; c > 0: restarts to the past
    std::vector<long double> posteriors;  // [K] their sum, 1/K included
    long double gaps = 0;
  };

  std::vector<double> weights_of(std::size_t m) const;
  std::vector<long double> shares() const;
  long double rate() const;

  std::size_t experts_, rounds_ = 0;
  std::vector<Filter> filters_;
  std::vector<std::unique_ptr<Learner>> others_;
  std::vector<long double> prior_, losses_;  // [M]
  long double delta_ = 1e-9L;
};

// The BCa bootstrap of a mean with nothing drawn at random: all n^n resamples, the skewness from a
// literal jackknife.

struct BcaInterval {
  double low = 0, high = 0;
};

// Ends are the least resampled mean with at least that share of all at or below it. Requires whole
// numbers, so that sums are exact and equal means are seen to be equal.
BcaInterval bca_by_enumeration(const std::vector<double>& x, double level);

}  // namespace pcgs::reference
