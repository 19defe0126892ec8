#include "clipped_squares.h"

#include <algorithm>
#include <cmath>

namespace pcgs::train {

Matrix clipped_squares(Matrix errors, suite::Random& random) {
  for (double& l : errors.values) l = std::isfinite(l) ? l * l : 1e300;
  std::vector<double> sorted = errors.values;
  const auto at = static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), sorted.begin() + at, sorted.end());
  const double scale =
      std::max(sorted[static_cast<std::size_t>(at)], 1e-12) * random.log_uniform(0.5, 2);
  for (double& l : errors.values) l = std::min(l / scale, 1.0);
  return errors;
}

}  // namespace pcgs::train
