// Fixed Share (Herbster & Warmuth 1998): the share recursion with eta and rho constant and q
// uniform. rho = 0 is Hedge.
#pragma once

#include "reference/learner.h"
#include "reference/log_share.h"

namespace pcgs::reference {

class FixedShare final : public Learner {
 public:
  FixedShare(std::size_t experts, double eta, double rho) : share_(experts), eta_(eta), rho_(rho) {}

  std::vector<double> weights() const override { return share_.weights(); }
  void learn(const FinishedRound& round) override { share_.step(round.losses, eta_, rho_); }

 private:
  LogShare share_;
  double eta_, rho_;
};

}  // namespace pcgs::reference
