#include "combine/outliers.h"

#include <algorithm>
#include <cmath>

#include "core/kernels.h"

namespace pcgs {

RobustRow robust_row(std::span<const double> x, double fitted, double target,
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

}  // namespace pcgs
