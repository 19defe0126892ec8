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
#pragma once

#include <memory>
#include <vector>

#include "reference/learner.h"
#include "reference/shares.h"

namespace pcgs::reference {

class Guard final : public Learner {
 public:
  explicit Guard(std::size_t experts, std::unique_ptr<Learner> learned = nullptr, double share = 0);

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

  // What it was charged so far, member by member and together, if every round came in time.
  const std::vector<long double>& member_losses() const { return losses_; }
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

}  // namespace pcgs::reference
