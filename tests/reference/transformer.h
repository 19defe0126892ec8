// The controller network in double precision, one token and one sum at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "network/model.h"

namespace pcgs::reference {

struct TransformerOutputs {
  std::vector<double> logits;  // [K]
  double restart = 0, rate = 0;
};

// What is remembered, by layer, expert and channel; empty before the first round.
using TransformerMemory = std::vector<std::vector<std::vector<double>>>;

// tokens [K x features], row-major; shared [shared and side features].
TransformerOutputs transformer(const infer::Model& model, std::span<const float> tokens,
                               std::span<const float> shared, TransformerMemory& memory);
TransformerOutputs transformer(const infer::Model& model, std::span<const float> tokens,
                               std::span<const float> shared);  // in the first round

}  // namespace pcgs::reference
