#include "network/memory.h"

#include "data/invariant.h"

namespace pcgs::infer {

Memory::Memory(const Config& config, std::size_t experts)
    : layers_(config.layers), channels_(config.memory), experts_(experts) {
  panels_.resize(layers_ * layer_size());
}

void Memory::copy_to(std::span<float> values) const {
  invariant(values.size() == size(), "room for what is remembered");
  auto out = values.begin();
  for (std::size_t i = 0; i < layers_; ++i) {
    for (std::size_t c = 0; c < channels_; ++c) {
      for (std::size_t k = 0; k < experts_; ++k) *out++ = panels_[i * layer_size() + at(c, k)];
    }
  }
}

void Memory::copy_from(std::span<const float> values) {
  invariant(values.size() == size(), "as many numbers as are remembered");
  auto in = values.begin();
  for (std::size_t i = 0; i < layers_; ++i) {
    for (std::size_t c = 0; c < channels_; ++c) {
      for (std::size_t k = 0; k < experts_; ++k) panels_[i * layer_size() + at(c, k)] = *in++;
    }
  }
}

}  // namespace pcgs::infer
