// What pcgs run found, as a table for people.
#pragma once

#include <string>

#include "show/run_result.h"

namespace pcgs::results {

// `origin` is the file that was played. With forecasts the errors come first, and then what the theory
// says.
std::string run_table(const RunResult& run, const std::string& origin);

}  // namespace pcgs::results
