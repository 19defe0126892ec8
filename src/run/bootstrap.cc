#include "run/bootstrap.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <limits>

#include "data/invariant.h"
#include "run/summary.h"

namespace pcgs::stats {

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

Interval Bootstrap::interval(std::span<const double> x, double level) const {
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

}  // namespace pcgs::stats
