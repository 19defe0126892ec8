// The numbers of an error token as their definitions read: every mean an explicit sum over all
// rounds so far, in double. O(T^2 K).
#pragma once

#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::reference {

struct ErrorTokenHistory {
  std::vector<std::vector<double>> tokens;  // [T][K x expert features] after each round
  std::vector<std::vector<double>> shared;  // [T][shared features]
  std::vector<std::vector<double>> anchor;  // [T][K]
  std::vector<double> scale;                // [T]
};

// errors [T x K], losses [T x K] in [0,1]
ErrorTokenHistory error_token_history(MatrixView errors, MatrixView losses);

}  // namespace pcgs::reference
