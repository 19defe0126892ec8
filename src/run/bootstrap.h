// How well a mean is known: the bias-corrected and accelerated (BCa) bootstrap.
//
// With m the mean of x[0], ..., x[n-1], m* the means of resamples of x (n draws with replacement),
// Phi the normal distribution function and z its quantile at (1 - level) / 2 or (1 + level) / 2,
//
//     z0 = Phi^-1( P(m* < m) + P(m* = m) / 2 )
//     a  = sum (x - m)^3 / ( 6 (sum (x - m)^2)^(3/2) )
//     each end of the interval = the quantile of m* at Phi( z0 + (z0 + z) / (1 - a (z0 + z)) )
//
// z0 is the bias of the median of m*, a the skewness. (a usually comes from a jackknife; for a mean
// the jackknife reduces to this formula.)
// Efron, Better bootstrap confidence intervals, 1987.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pcgs/forecast_errors.h"

namespace pcgs::stats {

using Interval = ConfidenceInterval;

inline constexpr std::size_t kResamples = 10'000;

// The resamples are drawn once and serve every x of this n: the intervals of many pairs of methods
// on the same sequences are cheap, and differ because of the data only.
class Bootstrap {
 public:
  // n and resamples at least 1. The same arguments give the same resamples on every machine.
  Bootstrap(std::size_t n, std::size_t resamples, std::uint64_t seed);

  std::size_t size() const { return n_; }

  // Requires n finite numbers and level in (0,1). Quantiles between two means are interpolated.
  // Equal numbers, so also a single one, give that point: a bootstrap knows of no spread that the
  // data do not show.
  Interval interval(std::span<const double> x, double level = 0.95) const;

 private:
  std::size_t n_;
  std::vector<std::uint32_t> draws_;  // [resamples x n] indices into x
};

}  // namespace pcgs::stats
