// Weights in the order in which the products read them.
#pragma once

#include <cstddef>

#include "network/model.h"
#include "network/panels.h"

namespace pcgs::infer {

// y = W x + b, out numbers from in. W[o][i] = weight[(o / group * in + i) * group + o % group]: the
// outputs come in groups that are computed together, and behind the last there are zeros.
struct Packed {
  std::size_t out = 0, in = 0, group = 0;
  AlignedFloats weight;  // [groups x in x group]
  AlignedFloats bias;    // [groups x group]
};

// weight [out x in] and bias [out], both multiplied by `scale`.
Packed packed(const Tensor& weight, const Tensor& bias, std::size_t group, float scale = 1);

// weight [rows x columns] without its columns before `begin` and from `end` on.
Tensor columns_of(const Tensor& weight, std::size_t begin, std::size_t end);

}  // namespace pcgs::infer
