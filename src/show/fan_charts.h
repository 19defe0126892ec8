// Distributions over time.
#pragma once

#include <string>
#include <vector>

#include "show/blocks.h"
#include "show/fan_view.h"

namespace pcgs::report {

// "location 06, horizon 2"
std::string series_title(const std::vector<std::string>& by, const std::vector<std::string>& key);

// A fan chart of the series that the reader chooses. Empty where there are no fans.
std::vector<Block> fan_blocks(const FanView& view);

}  // namespace pcgs::report
