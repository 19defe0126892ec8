// The files that a command writes.
#pragma once

#include <string>
#include <vector>

namespace pcgs::cli {

// Throws Error if an output is also an input or another output. Empty names are no files.
void check_distinct(const std::vector<std::string>& outputs,
                    const std::vector<std::string>& inputs);

}  // namespace pcgs::cli
