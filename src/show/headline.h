// The answer to a forecaster's first question in a sentence or two.
#pragma once

#include <string>

#include "show/forecast_answer.h"

namespace pcgs::results {

// Four digits of an error, and never an exponent where numbers are still read without one.
std::string error_text(double error);

// "6.2 % below", "0.3 % above", "the same as".
std::string difference_text(double difference);

// "The combination's error (RMSE 12.3) was 6.2 % below that of your best model, arima, and 14 % below
// that of equal weights."
std::string headline(const ForecastAnswer& answer);

// Whether that could be chance: "More than chance: ...". Empty where there are too few rounds.
std::string sureness(const ForecastAnswer& answer);

}  // namespace pcgs::results
