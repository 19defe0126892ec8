// Networks with random weights of the size that training starts from, and random tokens.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "network/model.h"
#include "support/random.h"

namespace pcgs::test {

inline constexpr infer::AttentionKind kAttentionKinds[] = {
    infer::AttentionKind::kNone, infer::AttentionKind::kFull, infer::AttentionKind::kInduced};

struct InputSizes {
  std::size_t features = 0, shared = 0, side = 0;
};
struct LayerSizes {
  std::size_t width = 0, layers = 1, heads = 0, hidden = 0, inducing = 0, pool_hidden = 0;
};

inline infer::Config config_of(infer::AttentionKind attention, const InputSizes& inputs,
                               const LayerSizes& sizes) {
  return {.features = inputs.features,
          .shared = inputs.shared,
          .side = inputs.side,
          .width = sizes.width,
          .layers = sizes.layers,
          .heads = sizes.heads,
          .hidden = sizes.hidden,
          .attention = attention,
          .inducing = sizes.inducing,
          .pool_hidden = sizes.pool_hidden,
          .controls = {}};
}

inline infer::Config typical_config(infer::AttentionKind attention,
                                    const InputSizes& inputs = {30, 15, 3}) {
  return config_of(
      attention, inputs,
      {.width = 64, .layers = 2, .heads = 4, .hidden = 128, .inducing = 16, .pool_hidden = 64});
}

// Nothing in it is a multiple of a register.
inline infer::Config odd_config(infer::AttentionKind attention) {
  return config_of(
      attention, {.features = 21, .shared = 15, .side = 1},
      {.width = 42, .layers = 3, .heads = 3, .hidden = 101, .inducing = 5, .pool_hidden = 27});
}

inline infer::Model random_model(const infer::Config& config, std::uint64_t seed) {
  Random random(seed);
  infer::Model model;
  model.config = config;
  model.token_schema = "test";
  for (const auto& [name, shape] : infer::tensor_shapes(config)) {
    infer::Tensor& tensor = model.tensors[name];
    tensor.shape = shape;
    const bool is_norm = name.find("norm") != std::string::npos;
    const bool is_scale = is_norm && name.ends_with(".weight");
    const double size = is_norm            ? 0.3
                        : shape.size() > 1 ? 1 / std::sqrt(static_cast<double>(shape[1]))
                                           : 0.2;
    std::size_t count = 1;
    for (const std::size_t n : shape) count *= n;
    for (std::size_t i = 0; i < count; ++i) {
      tensor.values.push_back(static_cast<float>((is_scale ? 1 : 0) + random.uniform(-size, size)));
    }
    if (name.ends_with("inducing")) {  // queries that differ, as after training
      for (float& value : tensor.values) value *= 8;
    }
  }
  return model;
}

// [experts x features]
inline std::vector<float> random_tokens(std::size_t experts, std::size_t features,
                                        std::uint64_t seed) {
  Random random(seed);
  std::vector<float> tokens(experts * features);
  for (float& value : tokens) value = static_cast<float>(random.uniform(-2, 2));
  return tokens;
}

}  // namespace pcgs::test
