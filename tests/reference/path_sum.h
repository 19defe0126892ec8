// The share recursion as what it is: exponential weights over every path of experts.
//
// The prior of a path p_1, ..., p_{T+1} is w_1(p_1) prod_t A_t(p_t -> p_{t+1}) with
// A_t(i -> j) = (1 - rho_t)[i = j] + rho_t q_t(j); its likelihood is exp(-sum_t eta_t l_t(p_t)).
// The weights after T rounds are the posterior of p_{T+1}.
#pragma once

#include <vector>

namespace pcgs::reference {

struct PathRound {
  std::vector<double> losses;  // [K]
  double eta = 1;
  double rho = 0;
  std::vector<double> q;  // [K]
};

// [K]. Enumerates all K^(T+1) paths, one after the other.
std::vector<double> path_sum(const std::vector<double>& initial,
                             const std::vector<PathRound>& rounds);

}  // namespace pcgs::reference
