// What could be chance: the mean and spread of a handful of numbers, how well a mean is known, and whether
// one forecaster's mean loss is below another's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pcgs/forecast_errors.h"

namespace pcgs::stats {

struct Summary {
  double mean = 0;
  double std = 0;  // divides by n - 1; 0 for a single number
};

// Requires at least one number, all of magnitude at most 1e300. Equal numbers have exactly that
// mean and std 0.
Summary summarize(std::span<const double> x);

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
//
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
  ConfidenceInterval interval(std::span<const double> x, double level = 0.95) const;

 private:
  std::size_t n_;
  std::vector<std::uint32_t> draws_;  // [resamples x n] indices into x
};
inline constexpr std::size_t kResamples = 10'000;

// The test of Diebold and Mariano, 1995, on the ratio of mean losses.
//
// With a[t] and b[t] what two lost in round t and A, B the means, log(A / B) is, to first order, the
// mean of
//
//     x[t] = a[t] / A - b[t] / B
//
// about which it varies. Neighbouring rounds are alike, so its variance is estimated from the lowest
// frequencies alone: with c_j the cosine of frequency j on the n rounds,
//
//     variance of the mean = ( 1/v ) sum_{j=1..v} ( sqrt(2/n) sum_t x[t] c_j[t] )^2 / n,
//     v = 0.4 n^(2/3), at most kMostFrequencies,
//
// and the mean over its root follows Student's t with v degrees of freedom (Lazarus, Lewis, Stock and
// Watson, HAR inference: recommendations for practice, 2018).
struct LossRatio {
  double ratio = 1;  // mean of a over mean of b
  // 95 %; none for fewer than kFewestRounds, or where the two never differ.
  std::optional<ConfidenceInterval> interval{};
  std::optional<double> p{};  // two-sided, that the ratio is 1
};
inline constexpr std::size_t kFewestRounds = 20;
inline constexpr std::size_t kMostFrequencies = 256;

// Losses >= 0, as many of one as of the other. None where there is no ratio: no round, a mean of b
// that is 0, or one that is not finite.
std::optional<LossRatio> loss_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace pcgs::stats
