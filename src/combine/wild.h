// Forecasts that nobody can mean: a count in thousands among counts, 1e9 from a fit that exploded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pcgs::levels {

// A distribution is wild if an end of it is further from the centre than this many times what is usual.
// The centre is the median of the experts' middles, what they give nearest to the middle level. Usual is
// the median distance of their middles from there, or the median width of those that give more than one
// level, whichever is more. Medians are the lower ones.
//
// Nobody is wild where fewer than three are awake, where nothing is usual (0), and where it would be
// half of all or more: nobody can tell then who is.
inline constexpr double kWildest = 50;

// [K x P] quantiles, in order where awake, NaN at levels that are not given. Puts those that are wild to
// sleep and says how many. Allocates nothing once `scratch` has room for K numbers.
std::size_t put_wild_to_sleep(std::span<const double> quantiles, std::span<std::uint8_t> awake,
                              std::vector<double>& scratch);

}  // namespace pcgs::levels
