// From errors to losses in [0,1].
#pragma once

#include "pcgs/matrix.h"
#include "research/suite.h"

namespace pcgs::train {

// Squares, divided by their 95 % quantile times something in [0.5, 2] and clipped; what is not finite
// is as wrong as can be.
Matrix clipped_squares(Matrix errors, suite::Random& random);

}  // namespace pcgs::train
