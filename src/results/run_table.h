// What pcgs run found, as a table for people.
#pragma once

#include <string>
#include <string_view>

#include "results/run_result.h"

namespace pcgs::results {

// `origin` is the file that was played, `loss` what its forecasts were judged by, if it has any.
std::string run_table(const RunResult& run, const std::string& origin, std::string_view loss);

}  // namespace pcgs::results
