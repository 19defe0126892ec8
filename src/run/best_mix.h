// The best constant convex mixture of experts, found in hindsight: what no weights that never change
// can do better than.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "run/problem.h"

namespace pcgs::compare {

// [K] the weights, non-negative and summing to 1, whose combined forecast has the least mean loss on
// the rounds in which the outcome is known and everybody is awake. Squared loss: exact, to rounding;
// absolute and pinball loss: reweighted least squares; log loss: expectation maximisation. None
// without such a round, and where the work would take minutes.
std::optional<std::vector<double>> best_mix(const Problem& problem);

// min 1/2 w'Aw - b'w over the simplex; A [K x K] symmetric and positive semidefinite, row-major.
std::vector<double> simplex_minimum(std::span<const double> a, std::span<const double> b);

}  // namespace pcgs::compare
