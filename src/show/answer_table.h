// What a forecaster asks first, as text for a terminal.
#pragma once

#include <string>

#include "show/forecast_answer.h"

namespace pcgs::results {

// The table of errors, the headline, the coming forecasts and the weights now. `caption` stands above.
std::string answer_text(const ForecastAnswer& answer, const std::string& caption);

// "weights now: ets 0.62, arima 0.38", the largest first.
std::string weights_text(const ByName<double>& weights);

}  // namespace pcgs::results
