// A model that takes side information made from one that takes less, or none.
#pragma once

#include <cstddef>

#include "network/model.h"

namespace pcgs::train {

// The embedding gains columns of zeros: whatever the new numbers are, the model computes what it
// did, until it is trained. `side` is not less than the model's.
void add_side_columns(infer::Model& model, std::size_t side);

}  // namespace pcgs::train
