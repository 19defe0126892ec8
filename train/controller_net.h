// The network of src/network/network.h as something that can be trained: the same tensors under the
// same names, so that a model file goes in and out.
#pragma once

#include <torch/torch.h>

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "network/model.h"

namespace pcgs::train {

class ControllerNet {
 public:
  // Fresh weights from this seed.
  ControllerNet(const infer::Config& config, std::uint64_t seed, torch::Device device);
  // The weights of a model.
  ControllerNet(const infer::Model& model, torch::Device device);

  struct Output {
    torch::Tensor logits;         // [N,K]
    torch::Tensor restart, rate;  // [N]
  };
  // experts [N,K,features], shared [N,shared and side features]; in bfloat16 where `narrow`. Every
  // `rounds` rows are the rounds of one sequence.
  Output forward(const torch::Tensor& experts, const torch::Tensor& shared, bool narrow,
                 std::int64_t rounds) const;

  const infer::Config& config() const { return config_; }
  std::map<std::string, torch::Tensor>& tensors() { return tensors_; }
  infer::Model model(std::string token_schema, std::map<std::string, std::string> metadata) const;

 private:
  torch::Tensor linear(const torch::Tensor& x, const std::string& name) const;
  // Several linear maps of the same numbers, beside each other.
  torch::Tensor linears(const torch::Tensor& x, const std::string& name,
                        std::initializer_list<const char*> parts) const;
  torch::Tensor norm(const torch::Tensor& x, const std::string& name) const;
  torch::Tensor memory(const torch::Tensor& x, const std::string& name, std::int64_t rounds) const;
  torch::Tensor attention(const torch::Tensor& x, const std::string& name) const;

  infer::Config config_;
  std::map<std::string, torch::Tensor> tensors_;
};

}  // namespace pcgs::train
