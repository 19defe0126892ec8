#include "run/statistics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/invariant.h"

namespace pcgs::stats {

Summary summarize(std::span<const double> x) {
  invariant(!x.empty(), "something to summarize");
  const double n = static_cast<double>(x.size());
  // Relative to the first number, equal numbers have an exact mean.
  double sum = 0;
  double scale = 0;
  for (const double value : x) {
    invariant(std::abs(value) <= 1e300, "numbers that can be subtracted and added");
    sum += value - x[0];
    scale = std::max(scale, std::abs(value - x[0]));
  }
  const double mean = x[0] + sum / n;
  if (scale == 0) return {.mean = mean, .std = 0};

  double squares = 0;  // in units of scale, where they neither overflow nor vanish
  for (const double value : x) {
    const double deviation = (value - mean) / scale;
    squares += deviation * deviation;
  }
  return {.mean = mean, .std = scale * std::sqrt(squares / (n - 1))};
}

// ---- Bootstrap ----------------------------------------------------------------------------------

namespace {

// P(m* < m) + P(m* = m) / 2, given m* - m. Kept off 0 and 1, where z0 would be infinite.
double share_below_mean(std::span<const double> errors, double rounding) {
  double below = 0;
  for (const double error : errors) below += error < -rounding ? 1 : error <= rounding ? 0.5 : 0;
  const double count = static_cast<double>(errors.size());
  return std::clamp(below, 0.5, count - 0.5) / count;
}

// In units of spread, where the powers neither overflow nor vanish.
double acceleration(std::span<const double> deviations, double spread) {
  double squares = 0;
  double cubes = 0;
  for (const double deviation : deviations) {
    const double d = deviation / spread;
    squares += d * d;
    cubes += d * d * d;
  }
  return cubes / (6 * squares * std::sqrt(squares));
}

// Where to read the quantile that would be read at Phi(z) if there were neither bias nor skewness.
double corrected_probability(double z, double z0, double a) {
  const double shifted = z0 + z;
  const double denominator = 1 - a * shifted;
  if (denominator <= 0) return shifted > 0 ? 1 : 0;  // past the pole: the limit on its near side
  return boost::math::cdf(boost::math::normal(), z0 + shifted / denominator);
}

// Linear between the order statistics, the least at 0 and the largest at 1. Reorders values.
double quantile(std::span<double> values, double probability) {
  const double position = probability * static_cast<double>(values.size() - 1);
  const double whole = std::floor(position);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(whole);
  std::nth_element(values.begin(), at, values.end());
  if (at + 1 == values.end()) return *at;
  const double next = *std::min_element(at + 1, values.end());
  return *at + (position - whole) * (next - *at);
}

}  // namespace

Bootstrap::Bootstrap(std::size_t n, std::size_t resamples, std::uint64_t seed) : n_(n) {
  invariant(n >= 1 && n <= std::numeric_limits<std::uint32_t>::max(), "something to resample");
  invariant(resamples >= 1, "at least one resample");
  boost::random::mt19937_64 bits(seed);
  boost::random::uniform_int_distribution<std::uint32_t> index(0,
                                                               static_cast<std::uint32_t>(n - 1));
  draws_.resize(resamples * n);
  for (std::uint32_t& draw : draws_) draw = index(bits);
}

ConfidenceInterval Bootstrap::interval(std::span<const double> x, double level) const {
  invariant(x.size() == n_, "as many numbers as the bootstrap was made for");
  invariant(level > 0 && level < 1, "a confidence level between 0 and 1");
  const auto [least, largest] = std::minmax_element(x.begin(), x.end());
  if (*least == *largest) return {*least, *least};

  // Resampling deviations keeps a large common part of x out of the sums.
  const double mean = summarize(x).mean;
  const double spread = *largest - *least;
  std::vector<double> deviations(n_);
  for (std::size_t i = 0; i < n_; ++i) deviations[i] = x[i] - mean;

  const double n = static_cast<double>(n_);
  std::vector<double> errors(draws_.size() / n_);  // m* - m
  const std::uint32_t* draw = draws_.data();
  for (double& error : errors) {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += deviations[*draw++];
    error = sum / n;
  }

  // m* = m happens often when n is small; rounding must not decide on which side it falls.
  const double rounding =
      n * std::numeric_limits<double>::epsilon() * std::max(spread, std::abs(mean));
  const double z0 =
      boost::math::quantile(boost::math::normal(), share_below_mean(errors, rounding));
  const double a = acceleration(deviations, spread);
  const double z = boost::math::quantile(boost::math::normal(), (1 - level) / 2);
  return {mean + quantile(errors, corrected_probability(z, z0, a)),
          mean + quantile(errors, corrected_probability(-z, z0, a))};
}

// ---- Loss ratios --------------------------------------------------------------------------------

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
