// Variable Share (Herbster & Warmuth 1998).
//
//     v(k)  = w(k) exp(-eta l(k)) / Z
//     expert k gives away (1 - (1-rho)^l(k)) v(k), split evenly among the K-1 others
#pragma once

#include "reference/learner.h"

namespace pcgs::reference {

class VariableShare final : public Learner {
 public:
  VariableShare(std::size_t experts, double eta, double rho);

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  double eta_, rho_;
  std::vector<long double> log_weights_;  // [K]
};

}  // namespace pcgs::reference
