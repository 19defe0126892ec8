#include "reference/learn_alpha.h"

#include <cmath>

namespace pcgs::reference {

LearnAlpha::LearnAlpha(std::size_t experts) {
  for (double eta = 0.5; eta <= 256; eta *= 2) {
    for (double rho : {0.0, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1}) {
      members_.push_back({LogShare(experts), eta, rho});
    }
  }
  log_posterior_.assign(members_.size(), -std::log(static_cast<long double>(members_.size())));
}

std::vector<double> LearnAlpha::weights() const {
  std::vector<long double> sum(members_[0].share.experts(), 0);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k] += std::exp(log_posterior_[i] + members_[i].share.log_weights()[k]);
    }
  }
  return {sum.begin(), sum.end()};
}

void LearnAlpha::learn(const FinishedRound& round) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    std::vector<long double> weighed, plain;  // logarithms of the terms of the two sums
    for (std::size_t k = 0; k < round.losses.size(); ++k) {
      const long double log_likelihood = -static_cast<long double>(member.eta) * round.losses[k];
      weighed.push_back(member.share.log_weights()[k] + log_likelihood);
      if (round.awake[k]) plain.push_back(log_likelihood);
    }
    log_posterior_[i] += log_sum_exp(weighed) - log_sum_exp(plain) +
                         std::log(static_cast<long double>(plain.size()));
    member.share.step(round.losses, member.eta, member.rho);
  }
  const long double total = log_sum_exp(log_posterior_);
  for (long double& p : log_posterior_) p -= total;
}

}  // namespace pcgs::reference
