// The numbers of a token as their definitions read: every mean an explicit sum over all rounds so
// far, every count a count, in double. O(T^2 K).
#pragma once

#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::reference {

struct TokenHistory {
  std::size_t experts = 0;
  std::vector<std::vector<double>> tokens;  // [T][K x features] after each round
  std::vector<double> scale;                // [T]
  // The least distance that the largest weight of the leading filter ever had to the threshold of
  // leadership: where it is small, rounding decides who leads.
  double nearest_to_takeover = 1;
};

// losses [T x K]
TokenHistory token_history(MatrixView losses);

}  // namespace pcgs::reference
