// What was forecast and what came, kept small enough to be drawn.
#pragma once

#include <string>
#include <vector>

#include "show/thin.h"
#include "show/time_axis.h"

namespace pcgs::report {

struct ForecastCurves {
  std::string title;
  std::string outcome_name;
  AxisRange range;
  Points outcome;
  struct Forecaster {
    std::string name;
    Points forecast;
    Points error;  // forecast - outcome
  };
  std::vector<Forecaster> combined;  // of each method, kShownForecasts at most
  std::vector<Forecaster> expert;    // the best one, or none
};

// Of many methods the first few; then lines can still be told apart.
inline constexpr std::size_t kShownForecasts = 4;
// How finely curves are kept when so many methods are shown: a page stays below a few megabytes,
// and a week of a few years of hours can still be looked at.
inline std::size_t curve_buckets(std::size_t methods) { return 15000 / (2 * methods + 3); }

}  // namespace pcgs::report
