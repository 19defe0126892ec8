// The most floating-point operations per second that one core can do.
#pragma once

#include <cstddef>

namespace pcgs::bench {

// Does `steps` rounds of multiply-adds that wait for nothing but the arithmetic units, and returns
// the floating-point operations done. `sink` keeps the compiler from leaving them out.
double multiply_add(std::size_t steps, float& sink);

}  // namespace pcgs::bench
