// What one forward pass takes.
#pragma once

#include <cstddef>

#include "network/model.h"

namespace pcgs::bench {

// Floating-point operations as the architecture needs them, whatever an implementation does.
inline double operations(const infer::Config& config, std::size_t experts) {
  const auto k = static_cast<double>(experts), d = static_cast<double>(config.width),
             m = static_cast<double>(config.hidden), i = static_cast<double>(config.inducing),
             h = static_cast<double>(config.pool_hidden);
  double layer = 2 * d * m * k + 4 * d * static_cast<double>(config.memory) * k;
  if (config.attention != infer::AttentionKind::kNone) layer += 4 * d * d * k;
  if (config.attention == infer::AttentionKind::kFull) layer += 2 * k * k * d;
  if (config.attention == infer::AttentionKind::kInduced) layer += 4 * k * i * d + 2 * i * d * d;
  const double ends = k * d * (static_cast<double>(config.features) + 1) +
                      d * static_cast<double>(config.common()) + 2 * d * h + 2 * h;
  return 2 * (static_cast<double>(config.layers) * layer + ends);
}

}  // namespace pcgs::bench
