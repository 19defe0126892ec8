// Prediction intervals around combined forecasts, made from the errors of earlier ones.
//
// Promised: over a run, an interval of level 0.8 holds the outcome in 80 % of the rounds, whatever
// the outcomes do, for every miss that is too many widens the intervals after it. How wide they are
// otherwise follows the recent errors, those of the same phase of a season, and how far the experts
// disagree.
#pragma once

#include <cstddef>
#include <vector>

namespace pcgs {

struct IntervalOptions {
  std::vector<double> levels = {0.8, 0.95};  // increasing, inside (0, 1)
  std::size_t season = 0;                    // rounds in a season whose phases matter; 0: none
};

struct Interval {
  double level = 0;
  double low = 0, high = 0;  // finite, low <= high; those of a higher level lie around them
};

}  // namespace pcgs
