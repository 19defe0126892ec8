// ML-Poly (Gaillard, Stoltz & van Erven 2014), as the package opera plays it.
//
//     r = learner_loss - l(k), 0 while asleep;  R += r;  S += r^2;  B = the largest r^2 so far
//     w ~ max(R,0) / (B + S), uniform when no R > 0
#pragma once

#include "reference/learner.h"

namespace pcgs::reference {

class MlPoly final : public Learner {
 public:
  explicit MlPoly(std::size_t experts) : regret_(experts, 0), squares_(experts, 0) {}

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  long double largest_square_ = 0;
  std::vector<long double> regret_, squares_;  // [K]
};

}  // namespace pcgs::reference
