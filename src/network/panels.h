// How numbers lie in memory during a forward pass.
//
// Tokens stand side by side. Sixteen of them make a panel, [rows x 16], one row per feature, and K
// tokens make ceil(K / 16) panels one after another:
//
//     x(feature, token) = data[(token / 16 * rows + feature) * 16 + token % 16]
//
// A register holds one feature of several tokens, so that layer norms, activations and the softmax
// over keys work down the rows and never across a register. The lanes behind the last token hold
// the numbers of an all-zero token; nothing that is averaged, maximised or attended to reads them.
#pragma once

#include <cstddef>
#include <vector>

#include "core/aligned.h"

namespace pcgs::infer {

inline constexpr std::size_t kPanel = 16;  // tokens side by side: the largest register, in floats
inline constexpr std::size_t kTile = 8;    // output rows computed together

static_assert(kPanel * sizeof(float) == kCacheLine);

constexpr std::size_t panels_of(std::size_t tokens) { return (tokens + kPanel - 1) / kPanel; }

using AlignedFloats = std::vector<float, AlignedAllocator<float>>;

}  // namespace pcgs::infer
