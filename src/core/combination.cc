#include "core/combination.h"

#include <cstring>

#include "core/kernels.h"
#include "data/invariant.h"

namespace pcgs {

ForecastRange::ForecastRange(std::span<const double> forecasts) {
  const auto [low, high] = kernels::range_of(forecasts);
  low_ = low;
  high_ = high;
}

double combined_forecast(std::span<const double> weights, std::span<const double> forecasts,
                         std::span<const std::uint8_t> awake) {
  invariant(awake.size() == forecasts.size(), "who is awake, for each forecast");
  const double combination = kernels::dot(weights, forecasts);
  const bool all_awake = std::memchr(awake.data(), 0, awake.size()) == nullptr;
  if (all_awake) return ForecastRange(forecasts).hold(combination);
  ForecastRange range;
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    if (awake[k] != 0) range.add(forecasts[k]);
  }
  return range.hold(combination);
}

}  // namespace pcgs
