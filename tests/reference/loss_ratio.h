// The test of src/run/loss_ratio.h as its formula stands there: every cosine by itself, and
// Student's distribution as an integral.
#pragma once

#include <cstddef>
#include <span>

namespace pcgs::reference {

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
