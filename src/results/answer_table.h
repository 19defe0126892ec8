// What a forecaster asks first, as text for a terminal.
#pragma once

#include <string>

#include "results/forecast_answer.h"

namespace pcgs::results {

// The table of errors, the headline, the coming forecasts and the weights now. `caption` stands above.
std::string answer_text(const ForecastAnswer& answer, const std::string& caption);

}  // namespace pcgs::results
