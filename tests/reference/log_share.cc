#include "reference/log_share.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs::reference {

long double log_sum_exp(const std::vector<long double>& x) {
  const long double top = *std::max_element(x.begin(), x.end());
  if (std::isinf(top)) return top;
  long double sum = 0;
  for (long double value : x) sum += std::exp(value - top);
  return top + std::log(sum);
}

LogShare::LogShare(std::size_t experts)
    : log_weights_(experts, -std::log(static_cast<long double>(experts))) {}

LogShare::LogShare(std::span<const double> initial) {
  for (double w : initial) log_weights_.push_back(std::log(static_cast<long double>(w)));
}

LogShare::Step LogShare::posterior(std::span<const double> losses, double eta) {
  long double mean = 0;
  for (std::size_t k = 0; k < experts(); ++k) {
    mean += std::exp(log_weights_[k]) * losses[k];
    log_weights_[k] -= static_cast<long double>(eta) * losses[k];
  }
  const long double log_z = log_sum_exp(log_weights_);
  for (long double& w : log_weights_) w -= log_z;
  const long double mix_loss = -log_z / eta;
  return {static_cast<double>(mix_loss), static_cast<double>(mean - mix_loss)};
}

void LogShare::restart(double rho, std::span<const double> q) {
  if (rho == 0) return;
  for (std::size_t k = 0; k < experts(); ++k) {
    const long double restarted = q.empty() ? 1 / static_cast<long double>(experts()) : q[k];
    log_weights_[k] = log_sum_exp({std::log1p(-static_cast<long double>(rho)) + log_weights_[k],
                                   std::log(static_cast<long double>(rho)) + std::log(restarted)});
  }
}

LogShare::Step LogShare::step(std::span<const double> losses, double eta, double rho,
                              std::span<const double> q) {
  const Step step = posterior(losses, eta);
  restart(rho, q);
  return step;
}

std::vector<double> LogShare::weights() const {
  std::vector<double> out;
  for (long double w : log_weights_) out.push_back(static_cast<double>(std::exp(w)));
  return out;
}

}  // namespace pcgs::reference
