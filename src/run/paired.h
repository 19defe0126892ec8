// Two methods on the same sequences.
//
// a[i] and b[i] are the regrets of methods A and B on sequence i; less is better. Everything is
// about the improvements d[i] = b[i] - a[i] and is positive where A is better. Differences are
// taken as they are: whoever wants regrets that differ by rounding alone to be equal rounds them
// first.
#pragma once

#include <optional>
#include <span>

#include "run/bootstrap.h"

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

}  // namespace pcgs::stats
