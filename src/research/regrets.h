// Regrets and their statistics, the same in every study.
#pragma once

#include <string>
#include <vector>

#include "research/tournament.h"
#include "run/bootstrap.h"
#include "show/study_parts.h"

namespace pcgs::studies {

// Against the exact oracle, in the order of the tournament's entries.
std::vector<results::MethodRegret> method_regrets(const suite::Tournament& tournament);

// Each of these methods against all others, paired by sequence. Requires that they are there.
std::vector<results::MethodPair> against_others(const std::vector<results::MethodRegret>& methods,
                                                const std::vector<std::string>& compared);

// Resamples of so many sequences, the same in every study.
stats::Bootstrap bootstrap_for(std::size_t sequences);

}  // namespace pcgs::studies
