// Prediction intervals around combined forecasts, made from the errors of earlier ones.
//
// Over a run, intervals of level 0.8 hold about 80 % of the outcomes, also where errors change, for
// misses are counted and every one too many widens the intervals after it. No law of the errors is
// assumed. How wide intervals are otherwise follows the recent errors, those of the same phase of a
// season, and how far the experts disagree.
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
