// A model that can do more, and does what it did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "network/model.h"

namespace pcgs::train {

struct Growth {
  std::optional<infer::AttentionKind> attention;
  std::optional<std::size_t> memory;
  std::size_t inducing = 0;     // where attention is induced
  bool inducing_given = false;  // and asked for, so that another number is refused
};

// The model with attention or a memory that it did not have, or with more channels of memory. What they
// add to a layer is multiplied by zeros at first, so the model's answers stay the same until it is
// trained. Throws Error where it has attention of another kind or size, or a larger memory.
infer::Model grown(const infer::Model& model, const Growth& growth, std::uint64_t seed);

}  // namespace pcgs::train
