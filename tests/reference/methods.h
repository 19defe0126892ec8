// Other methods, from their formulas: AdaHedge, BOA, BCA, ML-Poly, Squint.
#pragma once

#include <vector>

#include "reference/learner.h"

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

// BOA, Bernstein online aggregation (Wintenberger 2017), as the package opera plays it.
//
//     r = learner_loss - l(k), 0 while asleep
//     V += 2.2 r^2;  e = 1/sqrt(V);  R += r - e r^2;  w ~ e exp(e R)
//
// Experts with V = 0 each keep 1/K; the others share the rest.

class Boa final : public Learner {
 public:
  explicit Boa(std::size_t experts) : variance_(experts, 0), regret_(experts, 0) {}

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  std::vector<long double> variance_, regret_;  // [K]
};

// The BCa bootstrap of a mean with nothing drawn at random: all n^n resamples, the skewness from a
// literal jackknife.

struct BcaInterval {
  double low = 0, high = 0;
};

// Ends are the least resampled mean with at least that share of all at or below it. Requires whole
// numbers, so that sums are exact and equal means are seen to be equal.
BcaInterval bca_by_enumeration(const std::vector<double>& x, double level);

// ML-Poly (Gaillard, Stoltz & van Erven 2014), as the package opera plays it.
//
//     r = learner_loss - l(k), 0 while asleep;  R += r;  S += r^2;  B = the largest r^2 so far
//     w ~ max(R,0) / (B + S), uniform when no R > 0

class MlPoly final : public Learner {
 public:
  explicit MlPoly(std::size_t experts) : regret_(experts, 0), squares_(experts, 0) {}

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  long double largest_square_ = 0;
  std::vector<long double> regret_, squares_;  // [K]
};

// Squint (Koolen & van Erven 2015) with the improper prior d(eta)/eta on [0,1/2], by numerical
// integration.
//
//     w(k) ~ integral over x in [0,1/2] of exp(x R_k - x^2 V_k)
//     R_k = sum r, V_k = sum r^2, r = learner_loss - l(k), 0 while asleep

class Squint final : public Learner {
 public:
  explicit Squint(std::size_t experts) : regret_(experts, 0), variance_(experts, 0) {}

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  std::vector<long double> regret_, variance_;  // [K]
};

}  // namespace pcgs::reference
