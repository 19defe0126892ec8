#include "network/side_features.h"

#include <algorithm>
#include <cmath>

namespace pcgs::tokens {

void side_features(std::span<const double> side, std::span<float> out) {
  std::transform(side.begin(), side.end(), out.begin(), [](double x) {
    return static_cast<float>(std::copysign(std::log1p(std::abs(x)), x));
  });
}

}  // namespace pcgs::tokens
