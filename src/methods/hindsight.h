// fixed-share* and hedge*: the best rates of the grid, chosen after the fact. Nobody can run them;
// they are the honest opponents in every table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pcgs {

// The specs that a starred name stands for ("hedge*": hedge at every eta of the grid;
// "fixed-share*": every pair); empty for a name without a star. Throws Error for another starred
// name.
std::vector<std::string> hindsight_candidates(std::string_view spec);

}  // namespace pcgs
