// Wilcoxon's signed-rank test by trying every sign of every rank.
#pragma once

#include <vector>

namespace pcgs::reference {

struct SignedRank {
  double w = 0;
  double p = 1;  // two-sided
};

// All 2^n signs of the n differences that are not zero.
SignedRank signed_rank_by_enumeration(const std::vector<double>& differences);

}  // namespace pcgs::reference
