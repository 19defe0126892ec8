// How a row of a regression is weighed, so that no single outcome decides it.
//
//     squared, log   v = min(1, 1.5 / |e|)                       Huber, Robust estimation, 1964
//     absolute       v = min(1, 0.3 / |e|)                       nearly least absolute deviations
//     pinball        the same, times 2 tau above and 2 (1 - tau) below: nearly a quantile
//
// with e the row's error in units before it is learned; an error above 6 counts as 6, so that an
// outcome beyond all experience moves next to nothing. A row whose largest entry is u > 10 has its
// weight multiplied by (10 / u)^2.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "pcgs/losses.h"

namespace pcgs::blend {

inline constexpr double kLargestError = 6;  // in units

struct RobustRow {
  double target = 0;  // what to learn
  double scale = 1;   // square root of the weight
};

inline RobustRow robust_row(std::span<const double> x, double fitted, double target,
                            const TaskLoss& task) {
  constexpr double kLargestEntry = 10;
  const double error = target - fitted;
  const double size = std::abs(error);
  double weight = 1;
  if (task.kind() == TaskLoss::Kind::kAbsolute || task.kind() == TaskLoss::Kind::kPinball) {
    weight = std::min(1.0, 0.3 / size);
    if (task.kind() == TaskLoss::Kind::kPinball) {
      weight *= 2 * (error > 0 ? task.tau() : 1 - task.tau());
    }
  } else {
    weight = std::min(1.0, 1.5 / size);
  }
  double largest = 0;
  for (const double u : x) largest = std::max(largest, std::abs(u));
  const double leverage = largest > kLargestEntry ? kLargestEntry / largest : 1;
  return {fitted + std::clamp(error, -kLargestError, kLargestError), std::sqrt(weight) * leverage};
}

}  // namespace pcgs::blend
