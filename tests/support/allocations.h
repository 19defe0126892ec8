// Follows every use of operator new of the program that this is linked into.
#pragma once

#include <cstddef>

namespace pcgs::test {

struct Allocations {
  std::size_t count = 0;      // so far
  std::size_t held = 0;       // bytes that are not freed yet
  std::size_t most_held = 0;  // at any time since it was last set
};

extern Allocations allocations;

}  // namespace pcgs::test
