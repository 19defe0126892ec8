// Quantile forecasts of experts that come and go, for one series or for several, and what happened.
#pragma once

#include "pcgs/outcome.h"

namespace pcgs::compare {

using LevelProblem = pcgs::QuantileProblem;

}  // namespace pcgs::compare
