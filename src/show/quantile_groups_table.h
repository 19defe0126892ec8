// Scores of series, and of what they share, as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "show/quantile_result.h"

namespace pcgs::results {

// What scores are made of, and how many outcomes the usual central intervals held: the columns, and
// those of a row.
void add_shape_head(const QuantileResult::Shape& shape, std::vector<std::string>& head);
void add_shape(const QuantileResult::Shape& shape, std::vector<std::string>& row);

// A table of all series and one for each --by column, as far as they are short; else a line that says
// where the scores are. Empty for a single series.
std::string group_tables(const QuantileResult& result);

}  // namespace pcgs::results
