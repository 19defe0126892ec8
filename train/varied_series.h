// Made-up series that keep to their law less than those of prior.h: what a network has found out
// about one may not hold for long, or may never have held quite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "research/suite.h"

namespace pcgs::train {

// In three of ten, two laws take turns, each for a while; in half, days are not all alike.
std::vector<double> varied_series(std::size_t length, std::size_t day, std::uint64_t seed,
                                  suite::Random& random);

}  // namespace pcgs::train
