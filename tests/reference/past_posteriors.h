// Restart at a mixture of past posteriors (Bousquet & Warmuth 2002), with the whole history kept.
//
// v_0 is uniform, v_s the posterior after round s before the restart. After round t
//
//     E_tau = sum_{s<t} c_s v_s / sum_{s<t} c_s      c_s = (1 - 1/(tau+1))^(t-1-s)
//     q_t   = (1 - eps) mean over tau in {1,2,4,...,4096} of E_tau + eps/K,   eps = 0.01
#pragma once

#include "reference/learner.h"
#include "reference/log_share.h"

namespace pcgs::reference {

class PastPosteriors final : public Learner {
 public:
  PastPosteriors(std::size_t experts, double eta, double rho);

  std::vector<double> weights() const override { return share_.weights(); }
  void learn(const FinishedRound& round) override;

 private:
  std::vector<double> restart_distribution() const;

  LogShare share_;
  double eta_, rho_;
  std::vector<std::vector<double>> posteriors_;  // v_0, v_1, ...; each [K]
};

}  // namespace pcgs::reference
