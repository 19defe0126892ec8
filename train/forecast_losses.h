// Losses of forecasting experts on made-up series: the part of the training prior that is most like
// what people bring.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pcgs/matrix.h"

namespace pcgs::train {

// Squared errors of `experts` different forecasters of one series, divided by a scale and clipped
// to [0,1]. The series, the pool and the scale are drawn for each seed. At least 2 experts, at most
// kMostForecasters.
inline constexpr std::size_t kMostForecasters = 24;
Matrix make_forecast_losses(std::size_t rounds, std::size_t experts, std::uint64_t seed);

// The errors themselves, with their sign, in units of the usual one.
Matrix make_forecast_errors(std::size_t rounds, std::size_t experts, std::uint64_t seed);

}  // namespace pcgs::train
