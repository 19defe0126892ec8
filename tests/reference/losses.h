// Expectations of clipped losses and ratios of them, by integration.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace pcgs::reference {

// One loss, clip(centre + scale Z + jump J, 0, 1), in long double: the normal or Student-t terms of
// the mixture over J are added up one by one, and the mean is integrated from its definition.
struct ClippedLoss {
  double centre = 0.5;
  double scale = 0.1;
  double df = std::numeric_limits<double>::infinity();  // infinite: normal
  double jump_probability = 0;
  double jump = 0;
};

// Before clipping: density at x, P(X <= x), P(X > x); each keeps its digits where it is tiny.
long double density(const ClippedLoss& law, double x);
long double below(const ClippedLoss& law, double x);
long double above(const ClippedLoss& law, double x);

// Density inside (0,1), probability at 0 and at 1.
long double likelihood(const ClippedLoss& law, double loss);

// integral of l^power f(l) over (0,1), for power 0, 1, ...
long double inner_moment(const ClippedLoss& law, int power);

// E l = inner_moment(1) + P(l = 1)
long double mean(const ClippedLoss& law);

// The test of src/run/statistics.h as its formula stands there: every cosine by itself, and
// Student's distribution as an integral.

// Two-sided: how often |t| or more comes by chance with this many degrees of freedom.
double student_tails(double t, std::size_t degrees);
// Where that is 5 %.
double student_quantile(std::size_t degrees);

struct LossRatio {
  double ratio = 1, low = 0, high = 0, p = 1;
};

// Requires means above 0 and losses that differ.
LossRatio loss_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace pcgs::reference
