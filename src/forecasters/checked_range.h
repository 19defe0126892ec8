// The number itself, if it is within a range that experts accept; else an Error that says which.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "pcgs/error.h"
#include "pcgs/experts.h"

namespace pcgs {

inline std::size_t checked_steps(std::string_view what, std::size_t steps, std::size_t low = 1,
                                 std::size_t high = kLongestReach) {
  if (steps >= low && steps <= high) return steps;
  throw Error(fmt::format("{} is {}; give a whole number from {} to {}", what, steps, low, high));
}

inline double checked_number(std::string_view what, double number, double low, double high) {
  if (number >= low && number <= high) return number;
  throw Error(fmt::format("{} is {}; give a number from {} to {}", what, number, low, high));
}

}  // namespace pcgs
