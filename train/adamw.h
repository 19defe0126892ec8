// AdamW with decoupled weight decay (Loshchilov and Hutter 2019), its state open for checkpoints.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace pcgs::train {

class AdamW {
 public:
  AdamW(std::vector<torch::Tensor> parameters, double weight_decay);

  // Clips the norm of all gradients at `most`, takes a step and forgets the gradients. Does nothing
  // but forget them, and returns false, where one is not finite.
  bool step(double rate, double most);
  const std::vector<torch::Tensor>& parameters() const { return parameters_; }

  std::vector<torch::Tensor> state() const;  // to be saved
  void restore(const std::vector<torch::Tensor>& state);

 private:
  std::vector<torch::Tensor> parameters_, mean_, square_;
  double weight_decay_;
  std::int64_t steps_ = 0;
};

}  // namespace pcgs::train
