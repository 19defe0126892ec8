// Mean and spread of a handful of numbers.
#pragma once

#include <span>

namespace pcgs::stats {

struct Summary {
  double mean = 0;
  double std = 0;  // divides by n - 1; 0 for a single number
};

// Requires at least one number, all of magnitude at most 1e300. Equal numbers have exactly that
// mean and std 0.
Summary summarize(std::span<const double> x);

}  // namespace pcgs::stats
