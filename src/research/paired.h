// Two methods on the same sequences.
//
// a[i] and b[i] are the regrets of methods A and B on sequence i; less is better. Everything is
// about the improvements d[i] = b[i] - a[i] and is positive where A is better. Differences are
// taken as they are: whoever wants regrets that differ by rounding alone to be equal rounds them
// first.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "run/statistics.h"

namespace pcgs::stats {

// No member is ever infinite or NaN. What they are where d has no spread:
//
//                         t, cohens_d   t_p   wilcoxon_p   interval
//     every d is 0        0             1     1            [0, 0]
//     N = 1, d not 0      none          1     1            [d, d]
//     every d the same    none          0     2^(1-N)      [d, d]
//
// In the last row t and cohens_d would be infinite, and 0 is the limit of t_p as the spread
// vanishes. It takes the normal distribution at its word; Wilcoxon's p, exact up to N = 50, does
// not.
struct Paired {
  double win_rate = 0;             // share of sequences with a < b; one with a = b counts half
  double mean_improvement = 0;     // mean of d
  std::optional<double> t;         // mean of d / (std of d / sqrt(N))
  double t_p = 1;                  // two-sided, Student's t with N - 1 degrees of freedom
  double wilcoxon_w = 0;           // rank sum of the positive d, see wilcoxon.h
  double wilcoxon_p = 1;           // two-sided
  std::optional<double> cohens_d;  // mean of d / std of d
  double ci_low = 0;               // of the mean of d, at 95 %, see bootstrap.h
  double ci_high = 0;

  bool operator==(const Paired&) const = default;
};

// Requires a, b and the bootstrap to be of the same size N >= 1, and regrets of magnitude at most
// 1e299.
Paired compare(std::span<const double> a, std::span<const double> b, const Bootstrap& bootstrap);

// Wilcoxon's signed-rank test: are positive and negative differences alike in number and size?
//
// Zero differences are dropped, as Wilcoxon did. The n others are ranked by magnitude, equal
// magnitudes sharing the mean of their ranks, and
//
//     W = sum of the ranks of the positive differences
//     p = min(1, 2 min(P(W' <= W), P(W' >= W)))
//
// where W' gives each of those ranks a sign by a fair coin.

struct Wilcoxon {
  double w = 0;
  double p = 1;  // two-sided
};

// Up to here p counts all 2^n signs exactly, ties or not; beyond, W' is taken to be normal, with
// corrections for ties and for continuity.
inline constexpr std::size_t kExactWilcoxon = 50;

// Requires finite differences. Magnitudes are equal only if they are the same double. No difference
// or only zeros: w 0, p 1.
Wilcoxon wilcoxon(std::span<const double> differences);

// Holm's step-down correction for several tests at once. With p_(1) <= ... <= p_(m),
//
//     adjusted p_(i) = min(1, max over j <= i of (m - j + 1) p_(j))
//
// Rejecting where the adjusted p is at most alpha makes any false rejection at all no likelier than
// alpha, however the tests depend on one another.
// Holm, A simple sequentially rejective multiple test procedure, 1979.

// [m] in the order of p_values, which must lie in [0,1].
std::vector<double> holm(std::span<const double> p_values);

}  // namespace pcgs::stats
