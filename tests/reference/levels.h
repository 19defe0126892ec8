// Distributions given by quantiles, by the letter of their definitions: every integral and every inverse
// on a grid or by bisection over the whole line.
#pragma once

#include <span>
#include <vector>

namespace pcgs::reference {

// 0 before the first quantile, linear between them, 1 from the last one on.
double level_distribution(std::span<const double> taus, std::span<const double> quantiles,
                          double x);

// The integral of (F(x) - [x >= y])^2, by the midpoints of so many cells between the least and the
// greatest number of interest.
double level_crps(std::span<const double> taus, std::span<const double> quantiles, double outcome,
                  int cells);

// The mixed distribution function at x; [K x P] quantiles.
double pooled(std::span<const double> taus, std::span<const double> quantiles,
              std::span<const double> weights, double x);
double substituted(std::span<const double> taus, std::span<const double> quantiles,
                   std::span<const double> weights, double x);

// Its CRPS where quantiles and outcome are in [0,1], by midpoints between all places where it bends.
using Mixed = double (*)(std::span<const double> taus, std::span<const double> quantiles,
                         std::span<const double> weights, double x);
double mixed_crps(std::span<const double> taus, std::span<const double> quantiles,
                  std::span<const double> weights, double outcome, Mixed mixed);

// The weighted interval score: for each central interval its width and how far the outcome is beyond it,
// and the distance from the median. Levels are symmetric and have a median.
double weighted_interval_score(std::span<const double> taus, std::span<const double> quantiles,
                               double outcome);

}  // namespace pcgs::reference
