#include "reference/variable_share.h"

#include <cmath>

#include "reference/log_share.h"

namespace pcgs::reference {

VariableShare::VariableShare(std::size_t experts, double eta, double rho)
    : eta_(eta), rho_(rho), log_weights_(experts, -std::log(static_cast<long double>(experts))) {}

std::vector<double> VariableShare::weights() const {
  std::vector<double> out;
  for (long double w : log_weights_) out.push_back(static_cast<double>(std::exp(w)));
  return out;
}

void VariableShare::learn(const FinishedRound& round) {
  const std::size_t experts = log_weights_.size();
  for (std::size_t k = 0; k < experts; ++k) {
    log_weights_[k] -= static_cast<long double>(eta_) * round.losses[k];
  }
  const long double log_z = log_sum_exp(log_weights_);
  for (long double& w : log_weights_) w -= log_z;
  if (experts == 1) return;

  const std::vector<long double> log_v = log_weights_;
  const long double log_keep = std::log1p(-static_cast<long double>(rho_));
  for (std::size_t k = 0; k < experts; ++k) {
    std::vector<long double> parts = {log_v[k] + log_keep * round.losses[k]};
    for (std::size_t j = 0; j < experts; ++j) {
      if (j == k) continue;
      const long double given = -std::expm1(log_keep * round.losses[j]);
      parts.push_back(log_v[j] + std::log(given / static_cast<long double>(experts - 1)));
    }
    log_weights_[k] = log_sum_exp(parts);
  }
}

}  // namespace pcgs::reference
