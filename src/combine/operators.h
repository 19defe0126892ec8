// Three ways to make one distribution of several. Learned weights know best what is in the middle; how
// wide the tails are is seen by what experts disagree about, which a mean of quantiles leaves out.
//
//     mean          the quantile mean with the learned weights
//     tails         the same in the middle, the linear pool of the learned weights in the tails
//     equal tails   the same in the middle, the linear pool of equal weights in the tails
//
// The pool counts c(tau) = (2 tau - 1)^2, so nothing at the median, and the mean what is left.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "combine/levels.h"

namespace pcgs::levels {

enum Operator : std::size_t { kMean, kTails, kEqualTails, kOperators };

// What trust in them starts with, and restarts to: sharp tails must earn it.
inline constexpr std::array<double, kOperators> kFirstTrust = {0.1, 0.45, 0.45};

// Panels of version 1 had mean and pool with the learned weights, and both with equal ones.
inline constexpr std::size_t kFirstOperators = 4;

double weight_of_pool(double level);
// What it is on the average over the levels.
double mean_weight_of_pool(const Levels& levels);

// [P] a pool, and becomes the operator that has it in the tails; in order.
void put_into_middle(const Levels& levels, std::span<const double> mean, std::span<double> pool);

}  // namespace pcgs::levels
