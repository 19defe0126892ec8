// Made-up series to forecast: what loads, prices and counts look like, each with a law of its own.
// The learned controller is trained on the losses of forecasting experts on them (train/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pcgs::suite {

// `day` is the number of observations in a day; seven of them make a week.
std::vector<double> make_series(std::size_t rounds, std::size_t day, std::uint64_t seed);

}  // namespace pcgs::suite
