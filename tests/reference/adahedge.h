// AdaHedge (de Rooij, van Erven, Grünwald & Koolen 2014).
//
//     eta_t = ln K / Delta_{t-1}        w_t ~ exp(-eta_t L_{t-1})
//     Delta_t = Delta_{t-1} + <w_t,l_t> - (M_t - M_{t-1})
//     M_t = -(1/eta_t) ln( (1/K) sum_k exp(-eta_t L_t(k)) ),  both M at the same eta_t
//
// While Delta is 0, eta is infinite: w uniform over the leaders, M the smallest L.
#pragma once

#include "reference/learner.h"

namespace pcgs::reference {

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

}  // namespace pcgs::reference
