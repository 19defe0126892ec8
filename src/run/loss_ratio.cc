#include "run/loss_ratio.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <vector>

namespace pcgs::stats {

namespace {

double mean(std::span<const double> x) {
  double sum = 0;
  for (const double one : x) sum += one;
  return sum / static_cast<double>(x.size());
}

// Means of as many neighbours as leave at most `most` numbers: frequencies as low as those that are
// looked at do not notice.
std::vector<double> coarse(const std::vector<double>& x, std::size_t most) {
  const std::size_t together = (x.size() + most - 1) / most;
  if (together <= 1) return x;
  std::vector<double> out;
  for (std::size_t t = 0; t + together <= x.size(); t += together) {
    out.push_back(mean(std::span(x).subspan(t, together)));
  }
  return out;
}

// n times the variance of the mean of x, from its v lowest frequencies. The cosines of a frequency
// come from one another: cos((t+1) w) = 2 cos(w) cos(t w) - cos((t-1) w).
double low_frequency_power(const std::vector<double>& x, std::size_t v) {
  const auto n = static_cast<double>(x.size());
  double power = 0;
  for (std::size_t j = 1; j <= v; ++j) {
    const double w = std::numbers::pi * static_cast<double>(j) / n;
    double before = std::cos(-w / 2), now = std::cos(w / 2), sum = 0;
    const double twice = 2 * std::cos(w);
    for (const double one : x) {
      sum += one * now;
      const double next = twice * now - before;
      before = now;
      now = next;
    }
    power += 2 / n * sum * sum;
  }
  return power / static_cast<double>(v);
}

}  // namespace

std::optional<LossRatio> loss_ratio(std::span<const double> a, std::span<const double> b) {
  if (a.empty()) return {};
  const double of_a = mean(a), of_b = mean(b);
  LossRatio out;
  out.ratio = of_a / of_b;
  if (!std::isfinite(of_b) || !std::isfinite(out.ratio)) return {};
  if (a.size() < kFewestRounds || out.ratio == 0) return out;
  std::vector<double> x(a.size());
  for (std::size_t t = 0; t < x.size(); ++t) x[t] = a[t] / of_a - b[t] / of_b;
  constexpr std::size_t kMostNumbers = std::size_t{1} << 16;
  x = coarse(x, kMostNumbers);

  const auto n = static_cast<double>(x.size());
  const auto frequencies =
      std::min(kMostFrequencies,
               static_cast<std::size_t>(0.4 * std::pow(static_cast<double>(a.size()), 2.0 / 3)));
  const double error = std::sqrt(low_frequency_power(x, frequencies) / n);
  if (!(error > 0)) return out;
  const boost::math::students_t student(static_cast<double>(frequencies));
  const double centre = std::log(out.ratio);
  const double half = boost::math::quantile(student, 0.975) * error;
  out.interval = {std::exp(centre - half), std::exp(centre + half)};
  out.p = 2 * boost::math::cdf(boost::math::complement(student, std::abs(centre) / error));
  return out;
}

}  // namespace pcgs::stats
