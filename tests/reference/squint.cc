#include "reference/squint.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "reference/log_share.h"

namespace pcgs::reference {
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
