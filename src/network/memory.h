// What a network carries from one round to the next: `memory` channels of every expert in every layer.
#pragma once

#include <cstddef>
#include <span>

#include "network/model.h"
#include "network/panels.h"

namespace pcgs::infer {

class Memory {
 public:
  // Zeros, as before the first round. Has no numbers where the network remembers nothing.
  Memory(const Config& config, std::size_t experts);

  std::size_t experts() const { return experts_; }
  std::size_t size() const { return layers_ * channels_ * experts_; }

  // All numbers, [layers x channels x K], for somebody to keep.
  void copy_to(std::span<float> values) const;
  void copy_from(std::span<const float> values);

  float* layer(std::size_t i) { return panels_.data() + i * layer_size(); }  // panels of channels

 private:
  std::size_t layer_size() const { return panels_of(experts_) * channels_ * kPanel; }
  // Where a channel of an expert stands in its layer.
  std::size_t at(std::size_t channel, std::size_t expert) const {
    return (expert / kPanel * channels_ + channel) * kPanel + expert % kPanel;
  }

  std::size_t layers_, channels_, experts_;
  AlignedFloats panels_;
};

// No memory holds a larger number, whatever the weights and tokens: it is a mean of what a layer
// makes of normalised numbers.
inline constexpr float kLargestMemory = 1e14f;

}  // namespace pcgs::infer
