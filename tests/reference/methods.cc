#include "reference/methods.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "reference/shares.h"

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

std::vector<double> Boa::weights() const {
  const std::size_t experts = variance_.size();
  const long double uniform = 1 / static_cast<long double>(experts);
  long double rest = 1;
  std::vector<long double> logs;
  for (std::size_t k = 0; k < experts; ++k) {
    if (variance_[k] == 0) {
      rest -= uniform;
      logs.push_back(-std::numeric_limits<long double>::infinity());
    } else {
      const long double e = 1 / std::sqrt(variance_[k]);
      logs.push_back(std::log(e) + e * regret_[k]);
    }
  }
  const long double total = log_sum_exp(logs);
  std::vector<double> out;
  for (std::size_t k = 0; k < experts; ++k) {
    const bool kept = variance_[k] == 0;
    out.push_back(static_cast<double>(kept ? uniform : rest * std::exp(logs[k] - total)));
  }
  return out;
}

void Boa::learn(const FinishedRound& round) {
  for (std::size_t k = 0; k < variance_.size(); ++k) {
    if (!round.awake[k]) continue;
    const long double r = static_cast<long double>(round.learner_loss) - round.losses[k];
    if (r == 0) continue;
    variance_[k] += 2.2L * r * r;
    regret_[k] += r - r * r / std::sqrt(variance_[k]);
  }
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

void MlPoly::learn(const FinishedRound& round) {
  for (std::size_t k = 0; k < regret_.size(); ++k) {
    if (!round.awake[k]) continue;
    const long double r = static_cast<long double>(round.learner_loss) - round.losses[k];
    regret_[k] += r;
    squares_[k] += r * r;
    largest_square_ = std::max(largest_square_, r * r);
  }
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
    logs.push_back(log_integral(regret_[k], variance_[k]));
  }
  const long double total = log_sum_exp(logs);
  std::vector<double> out;
  for (long double l : logs) out.push_back(static_cast<double>(std::exp(l - total)));
  return out;
}

void Squint::learn(const FinishedRound& round) {
  for (std::size_t k = 0; k < regret_.size(); ++k) {
    if (!round.awake[k]) continue;
    const long double r = static_cast<long double>(round.learner_loss) - round.losses[k];
    regret_[k] += r;
    variance_[k] += r * r;
  }
}

}  // namespace pcgs::reference
