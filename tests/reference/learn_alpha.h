// Learn-alpha (Monteleoni & Jaakkola 2003): a Bayesian mixture of Fixed Share filters over
// eta in {0.5,1,2,...,256} x rho in {0,3e-4,1e-3,3e-3,1e-2,3e-2,0.1}.
//
// Evidence of a member with weights w for a round:
//
//     e = sum_k w(k) exp(-eta l(k)) / ( mean over awake j of exp(-eta l(j)) )
//
// The members' posterior is multiplied by e and normalised; played is sum_i p_i w_i.
#pragma once

#include "reference/learner.h"
#include "reference/log_share.h"

namespace pcgs::reference {

class LearnAlpha final : public Learner {
 public:
  explicit LearnAlpha(std::size_t experts);

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  struct Member {
    LogShare share;
    double eta, rho;
  };
  std::vector<Member> members_;
  std::vector<long double> log_posterior_;  // one per member
};

}  // namespace pcgs::reference
