#include "core/forecast_range.h"

#include "core/invariant.h"
#include "core/kernels.h"

namespace pcgs {

double combined_forecast(std::span<const double> weights, std::span<const double> forecasts,
                         std::span<const std::uint8_t> awake) {
  invariant(awake.size() == forecasts.size(), "who is awake, for each forecast");
  ForecastRange range;
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    if (awake[k] != 0) range.add(forecasts[k]);
  }
  return range.hold(kernels::dot(weights, forecasts));
}

}  // namespace pcgs
