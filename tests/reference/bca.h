// The BCa bootstrap of a mean with nothing drawn at random: all n^n resamples, the skewness from a
// literal jackknife.
#pragma once

#include <vector>

namespace pcgs::reference {

struct BcaInterval {
  double low = 0, high = 0;
};

// Ends are the least resampled mean with at least that share of all at or below it. Requires whole
// numbers, so that sums are exact and equal means are seen to be equal.
BcaInterval bca_by_enumeration(const std::vector<double>& x, double level);

}  // namespace pcgs::reference
