// BOA, Bernstein online aggregation (Wintenberger 2017), as the package opera plays it.
//
//     r = learner_loss - l(k), 0 while asleep
//     V += 2.2 r^2;  e = 1/sqrt(V);  R += r - e r^2;  w ~ e exp(e R)
//
// Experts with V = 0 each keep 1/K; the others share the rest.
#pragma once

#include "reference/learner.h"

namespace pcgs::reference {

class Boa final : public Learner {
 public:
  explicit Boa(std::size_t experts) : variance_(experts, 0), regret_(experts, 0) {}

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  std::vector<long double> variance_, regret_;  // [K]
};

}  // namespace pcgs::reference
