// Whether one forecaster's mean loss is below another's by more than chance: the test of Diebold and
// Mariano, 1995, on the ratio of mean losses.
//
// With a[t] and b[t] what they lost in round t and A, B the means, log(A / B) is, to first order, the
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
#pragma once

#include <optional>
#include <span>

#include "run/bootstrap.h"

namespace pcgs::stats {

struct LossRatio {
  double ratio = 1;  // mean of a over mean of b
  // 95 %; none for fewer than kFewestRounds, or where the two never differ.
  std::optional<Interval> interval{};
  std::optional<double> p{};  // two-sided, that the ratio is 1
};

inline constexpr std::size_t kFewestRounds = 20;
inline constexpr std::size_t kMostFrequencies = 256;

// Losses >= 0, as many of one as of the other. None where there is no ratio: no round, a mean of b
// that is 0, or one that is not finite.
std::optional<LossRatio> loss_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace pcgs::stats
