// The intervals that a method published, round by round.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pcgs/intervals.h"
#include "pcgs/matrix.h"
#include "run/problem.h"

namespace pcgs::compare {

using pcgs::IntervalRecord;

// How often the outcomes lay inside intervals of one level.
struct IntervalScore {
  double level = 0;
  std::size_t rounds = 0;  // with an interval and an outcome
  double coverage = 0;     // share of them; NaN without one
  double mean_width = 0;
};
std::vector<IntervalScore> interval_scores(const Problem& problem, const IntervalRecord& record);

}  // namespace pcgs::compare
