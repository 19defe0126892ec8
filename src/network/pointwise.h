// The steps of the forward pass between its products.
#pragma once

#include <cstddef>
#include <span>

#include "network/panels.h"

namespace pcgs::infer {

// tokens [count x features], a row per token, become panels of `features` rows. Numbers beyond
// kLargestToken in size are taken as that; the lanes behind the last token become zero.
void lay_side_by_side(const float* tokens, std::size_t count, std::size_t features, float* out);

// No trained network tells a million from a billion; this keeps every sum after it finite.
inline constexpr float kLargestToken = 1e12f;

// Layer norm over the features of each token: (x - mean) / sqrt(variance + 1e-5) * weight + bias,
// with the variance divided by the number of features. Both are panels of weight.size() rows and
// may be the same panels.
void normalise(const float* x, std::size_t panels, std::span<const float> weight,
               std::span<const float> bias, float* out);

// x Phi(x), Phi the distribution function of the normal law, in place. Its absolute error is below
// 1e-6 + 1e-7 |x|. n is a multiple of kPanel.
void gelu(float* x, std::size_t n);

// The memory of a layer, one round on. `packed` holds panels of 3 * rows rows, what to keep, what is
// new and how much to show, each `rows` of them; memory and out are panels of `rows` rows:
//
//     memory = new + sigmoid(keep) (memory - new)       out = memory * show * sigmoid(show)
void remember(const float* packed, std::size_t panels, std::size_t rows, float* memory, float* out);

// Mean and largest of each feature over `count` tokens, mean [rows] and largest [rows].
void pool(const float* x, std::size_t count, std::size_t rows, float* mean, float* largest);

}  // namespace pcgs::infer
