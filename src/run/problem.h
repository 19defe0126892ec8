// What methods are compared on: a sequence of rounds, given as losses or as forecasts.
#pragma once

#include <string>
#include <vector>

#include "data/times.h"
#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"
#include "pcgs/matrix.h"
#include "pcgs/outcome.h"

namespace pcgs::compare {

// Throws Error unless every number is one the methods can learn from, naming the place where it is
// not; `outcome_name` is that of the outcomes, if there are any.
void check_values(const Problem& problem, const std::string& outcome_name);

// The losses in [0,1] that every method learns from; +infinity for sleepers. Rounds in which
// everybody sleeps, or whose outcome is not known, are left out.
//
// `scales`, if given, gets what the losses of each of the T rounds were divided by: NaN for those that
// are left out, 1 where they are losses in [0,1] as they are.
Matrix scaled_losses(const Problem& problem, std::vector<double>* scales = nullptr);

// The same before anything was divided or capped, in their own units. Empty where the losses are in
// [0,1] as they came.
Matrix unclipped_losses(const Problem& problem);

}  // namespace pcgs::compare
