#include "reference/past_posteriors.h"

#include <cmath>

namespace pcgs::reference {
namespace {

constexpr double kEps = 0.01;
constexpr int kSpans = 13;

}  // namespace

PastPosteriors::PastPosteriors(std::size_t experts, double eta, double rho)
    : share_(experts), eta_(eta), rho_(rho), posteriors_{share_.weights()} {}

std::vector<double> PastPosteriors::restart_distribution() const {
  const std::size_t experts = share_.experts();
  std::vector<long double> q(experts, static_cast<long double>(kEps) / experts);
  for (int i = 0; i < kSpans; ++i) {
    const long double decay = 1 - 1 / (std::ldexp(1.0L, i) + 1);
    std::vector<long double> sum(experts, 0);
    long double total = 0;
    for (std::size_t s = 0; s < posteriors_.size(); ++s) {
      const long double c = std::pow(decay, static_cast<long double>(posteriors_.size() - 1 - s));
      total += c;
      for (std::size_t k = 0; k < experts; ++k) sum[k] += c * posteriors_[s][k];
    }
    for (std::size_t k = 0; k < experts; ++k) q[k] += (1 - kEps) * sum[k] / total / kSpans;
  }
  return {q.begin(), q.end()};
}

void PastPosteriors::learn(const FinishedRound& round) {
  const std::vector<double> q = restart_distribution();  // of v_0..v_{t-1}
  share_.posterior(round.losses, eta_);
  posteriors_.push_back(share_.weights());  // v_t
  share_.restart(rho_, q);
}

}  // namespace pcgs::reference
