#include "reference/shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pcgs::reference {

namespace {

// <weights, values> over the awake.
double combine(const std::vector<double>& weights, const std::vector<double>& values,
               const std::vector<std::uint8_t>& awake) {
  long double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (awake[k]) sum += static_cast<long double>(weights[k]) * values[k];
  }
  return static_cast<double>(sum);
}

FinishedRound finish(const std::vector<double>& weights, std::vector<double> losses,
                     const std::vector<std::uint8_t>& awake) {
  const double mixture_loss = combine(weights, losses, awake);
  for (std::size_t k = 0; k < losses.size(); ++k) {
    if (!awake[k]) losses[k] = mixture_loss;
  }
  return {std::move(losses), awake, mixture_loss};
}

}  // namespace

std::vector<double> played(const Learner& learner, const std::vector<std::uint8_t>& awake) {
  std::vector<double> weights = learner.weights();
  long double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!awake[k]) weights[k] = 0;
    sum += weights[k];
  }
  for (double& w : weights) w = static_cast<double>(w / sum);
  return weights;
}

double play_losses(Learner& learner, std::vector<double> losses,
                   const std::vector<std::uint8_t>& awake) {
  const FinishedRound round = finish(played(learner, awake), std::move(losses), awake);
  learner.learn(round);
  return round.learner_loss;
}

double play_forecasts(Learner& learner, const std::vector<double>& forecasts,
                      const std::vector<std::uint8_t>& awake, double outcome) {
  const std::vector<double> weights = played(learner, awake);
  const double combined = combine(weights, forecasts, awake);
  std::vector<double> losses(forecasts.size());
  for (std::size_t k = 0; k < losses.size(); ++k) {
    losses[k] = (forecasts[k] - outcome) * (forecasts[k] - outcome);
  }
  FinishedRound round = finish(weights, std::move(losses), awake);
  round.learner_loss = (combined - outcome) * (combined - outcome);
  learner.learn(round);
  return combined;
}

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
