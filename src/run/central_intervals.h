// Pairs of levels around the median: the interval between the quantiles 0.1 and 0.9 should hold 0.8 of
// the outcomes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "combine/quantile_levels.h"

namespace pcgs::compare {

// How much each pair (i, P - 1 - i) should hold, the widest first; none unless levels are symmetric.
std::vector<double> central_intervals(const levels::Levels& levels);

// Which of these intervals to show where there is no room for all: those nearest to 0.5, 0.8 and 0.95,
// each once, in this order.
std::vector<std::size_t> usual_intervals(std::span<const double> intervals);

}  // namespace pcgs::compare
