// Long format: one row for each expert and round.
#pragma once

#include <vector>

#include "data/text.h"
#include "run/problem.h"

namespace pcgs::compare {

// From rows to rounds. Comes with the forecasts in one column, which is called `experts[0]`, a time
// and an outcome for each row, and no side information; leaves with a column for each expert and a row
// for each time of each series, `by` alike. Rounds are in the order of time, series in that of their
// first rows. Throws Error for what has no time, for more than one column of forecasts, for an expert
// that forecasts a round twice, and for outcomes of one round that differ.
void widen(Problem& problem, const io::TextColumn& experts, std::vector<io::TextColumn>& by);

}  // namespace pcgs::compare
