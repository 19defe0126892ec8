// Checks on numbers read from a state file: a valid checksum does not make them sane.
#pragma once

#include <span>

#include "pcgs/state.h"

namespace pcgs {

// Accepts a loaded vector only if it lies on the simplex.
void load_weights(StateReader& in, std::span<double> weights);
// Accepts loaded numbers only if every one lies in [low, 1e200].
void load_finite(StateReader& in, std::span<double> values, double low, const char* what);

}  // namespace pcgs
