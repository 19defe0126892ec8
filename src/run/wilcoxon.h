// Wilcoxon's signed-rank test: are positive and negative differences alike in number and size?
//
// Zero differences are dropped, as Wilcoxon did. The n others are ranked by magnitude, equal
// magnitudes sharing the mean of their ranks, and
//
//     W = sum of the ranks of the positive differences
//     p = min(1, 2 min(P(W' <= W), P(W' >= W)))
//
// where W' gives each of those ranks a sign by a fair coin.
#pragma once

#include <cstddef>
#include <span>

namespace pcgs::stats {

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

}  // namespace pcgs::stats
