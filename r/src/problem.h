// A table of forecasts and what happened, from R.
#pragma once

#include "conversions.h"
#include "run/problem.h"

namespace pcgs::r {

// From a list with origin, experts, values, y, loss, tau, scale (NULL: follows the losses), block, delay
// and times: NULL, or name, text and at (seconds since 1970).
compare::Problem problem_of(const Fields& given);

}  // namespace pcgs::r
