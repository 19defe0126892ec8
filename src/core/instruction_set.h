#pragma once

#include <string>

namespace pcgs {

// The one that the kernels compute with on this machine: "AVX2". Sums have other last bits on another.
std::string instruction_set();

}  // namespace pcgs
