// Seasons and the levels of intervals, as Python gives them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "pcgs/intervals.h"

namespace pcgs::python {

// A number of rounds, or up to two of them, the shorter first; none for an empty sequence.
std::vector<std::size_t> seasons_of(const pybind11::object& season);
// Levels, increasing; none for an empty sequence. What is wrong with levels, the library says.
std::optional<IntervalOptions> interval_options(const pybind11::object& levels);

}  // namespace pcgs::python
