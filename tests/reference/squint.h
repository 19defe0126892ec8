// Squint (Koolen & van Erven 2015) with the improper prior d(eta)/eta on [0,1/2], by numerical
// integration.
//
//     w(k) ~ integral over x in [0,1/2] of exp(x R_k - x^2 V_k)
//     R_k = sum r, V_k = sum r^2, r = learner_loss - l(k), 0 while asleep
#pragma once

#include "reference/learner.h"

namespace pcgs::reference {

class Squint final : public Learner {
 public:
  explicit Squint(std::size_t experts) : regret_(experts, 0), variance_(experts, 0) {}

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  std::vector<long double> regret_, variance_;  // [K]
};

}  // namespace pcgs::reference
