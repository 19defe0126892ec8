// What a distribution costs when y happens. All are proper: nobody expects to gain by saying anything
// but what he believes.
#pragma once

#include <span>

#include "combine/levels.h"

namespace pcgs::levels {

// Twice the mean pinball loss over the levels. With central intervals and the median it is the
// weighted interval score (Bracher et al. 2021, PLOS Computational Biology 17(2)).
double level_score(const Levels& levels, std::span<const double> quantiles, double outcome);

// The same number in three parts: intervals that are wide, intervals above what happened, intervals
// below it. The median belongs to the side on which it errs.
struct ScoreParts {
  double width = 0, above = 0, below = 0;
};
// Levels must be symmetric; quantiles in order.
ScoreParts score_parts(const Levels& levels, std::span<const double> quantiles, double outcome);

// The integral over x of (F(x) - [x >= y])^2 for the whole distribution of levels.h, exactly.
double crps(const Levels& levels, std::span<const double> quantiles, double outcome);

}  // namespace pcgs::levels
