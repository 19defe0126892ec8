// Forecasts and weights as CSV: row, value, forecast, and a weight for each expert.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "studies/forecast_series.h"

namespace pcgs::studies {

// Passes text on in pieces: a long series times many experts does not fit in memory.
class ForecastCsv {
 public:
  using Write = std::function<void(std::string_view)>;
  ForecastCsv(const std::vector<std::string>& experts, Write write);
  void add(const ForecastRow& row);
  void finish();

 private:
  Write write_;
  std::string piece_;
};

}  // namespace pcgs::studies
