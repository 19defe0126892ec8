// Made-up errors of forecasting experts, with their signs: what a controller that combines is
// trained on; their squares are losses for one that does not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pcgs/matrix.h"

namespace pcgs::train {

// [rounds x experts] forecasts less outcomes, of size about 1. What experts have in common, how good
// they are, whose errors cancel, who is biased, how all of that changes, and how wild it gets, is
// drawn for each seed. At least 2 experts.
Matrix make_error_matrix(std::size_t rounds, std::size_t experts, std::uint64_t seed);

// Their squares, as losses in [0,1].
Matrix make_squared_errors(std::size_t rounds, std::size_t experts, std::uint64_t seed);

}  // namespace pcgs::train
