// The grid of Fixed Share rates that everything tuned over them uses: learn-alpha while it plays,
// fixed-share* and hedge* in hindsight.
#pragma once

#include <array>
#include <cstddef>

namespace pcgs {

inline constexpr std::array kEtaGrid = {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0};
inline constexpr std::array kRhoGrid = {0.0, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1};
inline constexpr std::size_t kGridSize = kEtaGrid.size() * kRhoGrid.size();

}  // namespace pcgs
