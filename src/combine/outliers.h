// Outliers: forecasts that nobody can mean, errors and losses beyond all experience. Where they are left out,
// where they count as something smaller, and from which size on.
//
//     left out   further from the middle than `times` what is usual      forecasts, and distributions
//     capped     counts as `times` what is usual                         what usual sizes are made of
//     in units   at most so many units                                   losses that something learns from
//     robust     weighed down by its size                                rows of a regression
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pcgs/losses.h"

namespace pcgs {

// Times what is usual.
inline constexpr double kOutlierForecast = 50;  // a forecast's distance from the middle of all
inline constexpr double kOutlierSquare = 100;   // an expert's squared error or loss (Units)
inline constexpr double kOutlierOwnLoss = 20;   // the loss of a filter of the second level
inline constexpr double kOutlierError = 8;      // an error, as intervals see it (ErrorScale)
// In units.
inline constexpr double kLargestLoss = 50;   // that blend learns from
inline constexpr double kLargestScore = 20;  // that quantile panels learn from
inline constexpr double kLargestError = 6;   // that a regression learns from

inline bool is_outlier(double distance, double usual, double times) {
  return distance > times * usual;
}

inline double capped(double size, double usual, double times) {
  return std::min(size, times * usual);
}

// `most` also where the quotient is no number.
inline double in_units(double loss, double unit, double most) {
  return std::min(most, loss / unit);
}

// How a row of a regression is weighed, so that no single outcome decides it.
//
//     squared, log   v = min(1, 1.5 / |e|)                       Huber, Robust estimation, 1964
//     absolute       v = min(1, 0.3 / |e|)                       nearly least absolute deviations
//     pinball        the same, times 2 tau above and 2 (1 - tau) below: nearly a quantile
//
// with e the row's error in units before it is learned; an error above 6 counts as 6, so that an
// outcome beyond all experience moves next to nothing. A row whose largest entry is u > 10 has its
// weight multiplied by (10 / u)^2.
struct RobustRow {
  double target = 0;  // what to learn
  double scale = 1;   // square root of the weight
};
RobustRow robust_row(std::span<const double> x, double fitted, double target, const TaskLoss& task);

}  // namespace pcgs
