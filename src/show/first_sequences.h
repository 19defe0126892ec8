// The first sequence of each family of a study in depth.
#pragma once

#include <vector>

#include "research/study.h"
#include "show/depth.h"

namespace pcgs::report {

// Our methods beside the classical ones.
std::vector<RunDepth> first_sequences(const studies::StudyConfig& config);

}  // namespace pcgs::report
