#include "reference/methods.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

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

void Regrets::add(std::size_t k, long double r) {
  regret_[k] += r;
  squares_[k] += r * r;
  largest_square_ = std::max(largest_square_, r * r);
}

void Regrets::learn(const FinishedRound& round) {
  for (std::size_t k = 0; k < regret_.size(); ++k) {
    if (round.awake[k]) add(k, static_cast<long double>(round.learner_loss) - round.losses[k]);
  }
}

std::vector<double> Boa::weights() const {
  const std::size_t experts = squares_.size();
  const long double uniform = 1 / static_cast<long double>(experts);
  long double rest = 1;
  std::vector<long double> logs;
  for (std::size_t k = 0; k < experts; ++k) {
    if (squares_[k] == 0) {
      rest -= uniform;
      logs.push_back(-std::numeric_limits<long double>::infinity());
    } else {
      const long double e = 1 / std::sqrt(squares_[k]);
      logs.push_back(std::log(e) + e * regret_[k]);
    }
  }
  const long double total = log_sum_exp(logs);
  std::vector<double> out;
  for (std::size_t k = 0; k < experts; ++k) {
    const bool kept = squares_[k] == 0;
    out.push_back(static_cast<double>(kept ? uniform : rest * std::exp(logs[k] - total)));
  }
  return out;
}

void Boa::add(std::size_t k, long double r) {
  if (r == 0) return;
  squares_[k] += 2.2L * r * r;
  regret_[k] += r - r * r / std::sqrt(squares_[k]);
}

namespace {

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double normal_quantile(double p) {
  double low = -40;
  double high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (normal_cdf(middle) < p ? low : high) = middle;
  }
  return low;
}

// The sums of all resamples, ascending.
std::vector<double> resampled_sums(const std::vector<double>& x) {
  std::vector<double> sums = {0};
  for (std::size_t draw = 0; draw < x.size(); ++draw) {
    std::vector<double> longer;
    for (const double sum : sums) {
      for (const double value : x) longer.push_back(sum + value);
    }
    sums = longer;
  }
  std::sort(sums.begin(), sums.end());
  return sums;
}

// Efron's a from the means without one of the numbers each.
double jackknife_acceleration(const std::vector<double>& x) {
  const double n = static_cast<double>(x.size());
  const double total = std::accumulate(x.begin(), x.end(), 0.0);
  std::vector<double> left_out;
  for (const double value : x) left_out.push_back((total - value) / (n - 1));
  const double middle = std::accumulate(left_out.begin(), left_out.end(), 0.0) / n;
  double squares = 0;
  double cubes = 0;
  for (const double mean : left_out) {
    squares += std::pow(middle - mean, 2);
    cubes += std::pow(middle - mean, 3);
  }
  return cubes / (6 * std::pow(squares, 1.5));
}

}  // namespace

BcaInterval bca_by_enumeration(const std::vector<double>& x, double level) {
  const std::vector<double> sums = resampled_sums(x);
  const double total = std::accumulate(x.begin(), x.end(), 0.0);
  const double count = static_cast<double>(sums.size());
  double below = 0;
  for (const double sum : sums) below += sum < total ? 1 : sum == total ? 0.5 : 0;
  const double z0 = normal_quantile(below / count);
  const double a = jackknife_acceleration(x);

  const auto end_at = [&](double probability) {
    const double shifted = z0 + normal_quantile(probability);
    const double corrected = normal_cdf(z0 + shifted / (1 - a * shifted));
    const auto rank = static_cast<std::size_t>(std::ceil(corrected * count));
    return sums.at(rank - 1) / static_cast<double>(x.size());
  };
  return {end_at((1 - level) / 2), end_at((1 + level) / 2)};
}

std::vector<double> MlPoly::weights() const {
  std::vector<long double> w(regret_.size(), 0);
  long double sum = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    if (regret_[k] > 0) sum += w[k] = regret_[k] / (largest_square_ + squares_[k]);
  }
  if (sum == 0) return std::vector<double>(w.size(), 1.0 / static_cast<double>(w.size()));
  for (long double& x : w) x /= sum;
  return {w.begin(), w.end()};
}

namespace {

// ln of the integral. The integrand is divided by its largest value, and each panel, over which the
// exponent changes by some units at most, is done by 15-point Gauss-Legendre, exact for polynomials
// of degree 29: nothing is left of the error in double.
long double log_integral(long double regret, long double variance) {
  const long double peak =
      variance > 0 ? std::clamp(regret / (2 * variance), 0.0L, 0.5L) : (regret > 0 ? 0.5L : 0.0L);
  const auto exponent = [&](long double x) { return x * regret - x * x * variance; };
  const long double top = exponent(peak);
  const int panels = 16 + static_cast<int>((std::abs(regret) + variance) / 8);
  long double sum = 0;
  for (int i = 0; i < panels; ++i) {
    sum += boost::math::quadrature::gauss<long double, 15>::integrate(
        [&](long double x) { return std::exp(exponent(x) - top); }, 0.5L * i / panels,
        0.5L * (i + 1) / panels);
  }
  return top + std::log(sum);
}

}  // namespace

std::vector<double> Squint::weights() const {
  std::vector<long double> logs;
  for (std::size_t k = 0; k < regret_.size(); ++k) {
    logs.push_back(log_integral(regret_[k], squares_[k]));
  }
  const long double total = log_sum_exp(logs);
  std::vector<double> out;
  for (long double l : logs) out.push_back(static_cast<double>(std::exp(l - total)));
  return out;
}

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
