#include "reference/adahedge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/log_share.h"

namespace pcgs::reference {
namespace {

long double learning_rate(long double delta, std::size_t experts) {
  if (delta == 0) return std::numeric_limits<long double>::infinity();
  return std::log(static_cast<long double>(experts)) / delta;
}

long double cumulative_mix_loss(const std::vector<long double>& total_losses, long double eta) {
  if (std::isinf(eta)) return *std::min_element(total_losses.begin(), total_losses.end());
  std::vector<long double> exponents;
  for (long double l : total_losses) exponents.push_back(-eta * l);
  const long double log_k = std::log(static_cast<long double>(total_losses.size()));
  return -(log_sum_exp(exponents) - log_k) / eta;
}

}  // namespace

std::vector<long double> AdaHedge::exact_weights() const {
  const long double eta = learning_rate(delta_, total_losses_.size());
  const long double best = *std::min_element(total_losses_.begin(), total_losses_.end());
  std::vector<long double> w;
  long double sum = 0;
  for (long double l : total_losses_) {
    w.push_back(l == best ? 1 : std::exp(-eta * (l - best)));
    sum += w.back();
  }
  for (long double& x : w) x /= sum;
  return w;
}

std::vector<double> AdaHedge::weights() const {
  const std::vector<long double> w = exact_weights();
  return {w.begin(), w.end()};
}

void AdaHedge::learn(const FinishedRound& round) {
  if (total_losses_.size() == 1) return;  // ln 1 = 0: nothing to choose
  const long double eta = learning_rate(delta_, total_losses_.size());
  const std::vector<long double> w = exact_weights();
  const long double before = cumulative_mix_loss(total_losses_, eta);
  long double loss = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    loss += w[k] * round.losses[k];
    total_losses_[k] += round.losses[k];
  }
  // The gap is >= 0; what falls below is rounding.
  delta_ += std::max(0.0L, loss - (cumulative_mix_loss(total_losses_, eta) - before));
}

}  // namespace pcgs::reference
