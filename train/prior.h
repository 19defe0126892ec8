// Made-up series to forecast: what loads, prices and counts look like, each with a law of its own.
// The learned controller is trained on the losses of forecasting experts on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::train {

// `day` is the number of observations in a day; seven of them make a week.
std::vector<double> make_series(std::size_t rounds, std::size_t day, std::uint64_t seed);

// What the learned controller is trained on besides the families: sequences as different from each
// other as real losses are. Each draws its own law.

// [T x K] in [0,1]
Matrix make_prior_losses(std::size_t rounds, std::size_t experts, std::uint64_t seed);

// One of the families, half of the time with each parameter moved away from its standard.
Matrix make_varied_family(std::size_t rounds, std::size_t experts, std::uint64_t seed);

}  // namespace pcgs::train
