// Scores of quantile forecasts by series, and by what series share.
#pragma once

#include <vector>

#include "show/blocks.h"
#include "show/quantile_result.h"

namespace pcgs::report {

// For each --by column, and for the series themselves: what scores are made of, relative to the linear
// pool with equal weights, and a table. Empty for a single series.
std::vector<Block> group_blocks(const results::QuantileResult& result);

}  // namespace pcgs::report
