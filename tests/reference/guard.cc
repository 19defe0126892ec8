#include "reference/guard.h"

#include <algorithm>
#include <cmath>

#include "reference/methods.h"

namespace pcgs::reference {

Guard::Guard(std::size_t experts, std::unique_ptr<Learner> learned, double share)
    : experts_(experts) {
  for (double eta = 0.5; eta <= 256; eta *= 2) {
    long double weight = std::sqrt(static_cast<long double>(eta));
    for (double rho : {0.0, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1}) {
      filters_.push_back({LogShare(experts), eta, rho, 0, {}});
      prior_.push_back(weight);
      weight /= 2;
    }
    for (double c : {0.1, 0.3, 1.0}) {
      const std::vector<long double> uniform(experts, 1.0L / static_cast<long double>(experts));
      filters_.push_back({LogShare(experts), eta, 0, c, uniform});
      prior_.push_back(std::sqrt(static_cast<long double>(eta)) / 4);
    }
  }
  others_.push_back(std::make_unique<MlPoly>(experts));
  others_.push_back(std::make_unique<Boa>(experts));
  others_.push_back(std::make_unique<AdaHedge>(experts));

  long double filters = 0;
  for (long double p : prior_) filters += p;
  for (long double& p : prior_) p *= (1 - 3 * 0.05L - share) / filters;
  prior_.insert(prior_.end(), 3, 0.05L);
  if (learned) {
    others_.push_back(std::move(learned));
    prior_.push_back(share);
  }
  losses_.assign(prior_.size(), 0);
}

std::vector<double> Guard::weights_of(std::size_t m) const {
  return m < filters_.size() ? filters_[m].share.weights()
                             : others_[m - filters_.size()]->weights();
}

long double Guard::rate() const {
  return std::log(static_cast<long double>(prior_.size())) / delta_;
}

std::vector<long double> Guard::shares() const {
  std::vector<long double> logs;
  for (std::size_t m = 0; m < prior_.size(); ++m) {
    logs.push_back(std::log(prior_[m]) - rate() * losses_[m]);
  }
  const long double total = log_sum_exp(logs);
  for (long double& x : logs) x = std::exp(x - total);
  return logs;
}

std::vector<double> Guard::weights() const {
  const std::vector<long double> p = shares();
  std::vector<long double> sum(experts_, 0);
  for (std::size_t m = 0; m < p.size(); ++m) {
    const std::vector<double> w = weights_of(m);
    for (std::size_t k = 0; k < experts_; ++k) sum[k] += p[m] * w[k];
  }
  return {sum.begin(), sum.end()};
}

void Guard::learn(const FinishedRound& round) {
  ++rounds_;
  const std::vector<long double> p = shares();
  std::vector<long double> lost(prior_.size(), 0), before, after;
  long double hedge_loss = 0;
  for (std::size_t m = 0; m < lost.size(); ++m) {
    const std::vector<double> w = weights_of(m);
    for (std::size_t k = 0; k < experts_; ++k) {
      lost[m] += static_cast<long double>(w[k]) * round.losses[k];
    }
    hedge_loss += p[m] * lost[m];
    before.push_back(std::log(prior_[m]) - rate() * losses_[m]);
    losses_[m] += lost[m];
    after.push_back(std::log(prior_[m]) - rate() * losses_[m]);
  }
  const long double mix_loss = (log_sum_exp(before) - log_sum_exp(after)) / rate();
  delta_ += std::max(0.0L, hedge_loss - mix_loss);

  for (Filter& filter : filters_) {
    filter.gaps += filter.share.posterior(round.losses, filter.eta).gap;
    if (filter.c == 0) {
      filter.share.restart(filter.rho, {});
      continue;
    }
    const auto count = static_cast<long double>(rounds_ + 1);
    std::vector<double> mean;
    for (std::size_t k = 0; k < experts_; ++k) {
      filter.posteriors[k] += std::exp(filter.share.log_weights()[k]);
      mean.push_back(static_cast<double>(filter.posteriors[k] / count));
    }
    filter.share.restart(filter.c / static_cast<double>(rounds_ + 1), mean);
  }
  for (std::size_t i = 0; i < others_.size(); ++i) {
    FinishedRound own = round;
    own.learner_loss = static_cast<double>(lost[filters_.size() + i]);
    others_[i]->learn(own);
  }
}

double Guard::switching_bound(std::size_t switches) const {
  const auto k = static_cast<long double>(experts_);
  const auto steps = static_cast<long double>(rounds_ - 1);
  const long double s = experts_ == 1 ? 0 : std::min(steps, static_cast<long double>(switches));
  std::vector<long double> logs;
  for (std::size_t m = 0; m < filters_.size(); ++m) {
    const Filter& f = filters_[m];
    if (f.c > 0 || (f.rho == 0 && s > 0)) continue;
    long double code = std::log(k) - (steps - s) * std::log(1 - f.rho + f.rho / k);
    if (s > 0) code += s * std::log(k / f.rho);
    logs.push_back(std::log(prior_[m]) - rate() * (f.gaps + code / f.eta));
  }
  return static_cast<double>(delta_ - log_sum_exp(logs) / rate());
}

}  // namespace pcgs::reference
