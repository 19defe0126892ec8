#include "controller_net.h"

#include <cmath>

#include "gated_memory.h"
#include "row_norm.h"
#include "self_attention.h"

namespace pcgs::train {

ControllerNet::ControllerNet(const infer::Config& config, std::uint64_t seed, torch::Device device)
    : config_(config) {
  auto generator = at::detail::createCPUGenerator(seed);
  for (const auto& [name, shape] : infer::tensor_shapes(config)) {
    std::vector<std::int64_t> sizes(shape.begin(), shape.end());
    auto tensor = torch::zeros(sizes);
    const bool norm = name.find("norm") != std::string::npos;
    const bool bias = name.size() > 5 && name.compare(name.size() - 5, 5, ".bias") == 0;
    if (norm && !bias) {
      tensor.fill_(1);
    } else if (!norm && !bias) {
      const auto inputs = static_cast<double>(sizes.back());
      tensor.normal_(0, 1 / std::sqrt(inputs), generator);
      // Small steps into the residual stream and small first decisions.
      if (name.find("down.weight") != std::string::npos || name == "head.weight" ||
          name.find("memory.o.weight") != std::string::npos) {
        tensor *= 0.3;
      }
    }
    // Restart rarely, and learn at about one nat for a typical difference, before anything is
    // known.
    if (name == "pool.down.bias") tensor.copy_(torch::tensor({-3.0f, 1.0f}));
    if (name.find("memory.keep.bias") != std::string::npos) {
      // Spans from one round to a thousand.
      tensor.copy_(torch::linspace(0, std::log(1000.0), sizes[0]));
    }
    tensors_[name] = tensor.to(device).requires_grad_();
  }
}

ControllerNet::ControllerNet(const infer::Model& model, torch::Device device)
    : config_(model.config) {
  for (const auto& [name, tensor] : model.tensors) {
    std::vector<std::int64_t> sizes(tensor.shape.begin(), tensor.shape.end());
    tensors_[name] =
        torch::tensor(tensor.values).reshape(sizes).to(device).clone().requires_grad_();
  }
}

torch::Tensor ControllerNet::linear(const torch::Tensor& x, const std::string& name) const {
  return torch::linear(x, tensors_.at(name + ".weight").to(x.dtype()),
                       tensors_.at(name + ".bias").to(x.dtype()));
}

torch::Tensor ControllerNet::linears(const torch::Tensor& x, const std::string& name,
                                     std::initializer_list<const char*> parts) const {
  std::vector<torch::Tensor> weights, biases;
  for (const char* part : parts) {
    weights.push_back(tensors_.at(name + part + ".weight"));
    biases.push_back(tensors_.at(name + part + ".bias"));
  }
  return torch::linear(x, torch::cat(weights).to(x.dtype()), torch::cat(biases).to(x.dtype()));
}

torch::Tensor ControllerNet::norm(const torch::Tensor& x, const std::string& name) const {
  return row_norm(x, tensors_.at(name + ".weight"), tensors_.at(name + ".bias"));
}

torch::Tensor ControllerNet::memory(const torch::Tensor& x, const std::string& name,
                                    std::int64_t rounds) const {
  const auto all = linears(x, name, {".keep", ".value", ".gate"});
  const auto shown =
      gated_memory(all.reshape({x.size(0) / rounds, rounds, x.size(1), all.size(2)}));
  return linear(shown.reshape({x.size(0), x.size(1), shown.size(3)}), name + ".o");
}

torch::Tensor ControllerNet::attention(const torch::Tensor& x, const std::string& name) const {
  const auto heads = static_cast<std::int64_t>(config_.heads);
  if (config_.attention == infer::AttentionKind::kFull) {
    return linear(self_attention(linears(x, name, {".q", ".k", ".v"}), heads), name + ".o");
  }
  const auto q = linear(x, name + ".q"), k = linear(x, name + ".k"), v = linear(x, name + ".v");
  const auto asked = tensors_.at(name + ".inducing").to(x.dtype());
  const auto summary = attention_to(asked, k, v, heads);
  return linear(
      attention_to(q, linear(summary, name + ".k2"), linear(summary, name + ".v2"), heads),
      name + ".o");
}

ControllerNet::Output ControllerNet::forward(const torch::Tensor& experts,
                                             const torch::Tensor& shared, bool narrow,
                                             std::int64_t rounds) const {
  const auto type = narrow ? torch::kBFloat16 : torch::kFloat32;
  // embed([own, shared]) without writing the shared numbers once for each expert.
  const auto weight = tensors_.at("embed.weight").to(type);
  const auto own = experts.size(2);
  auto x = torch::matmul(experts.to(type), weight.slice(1, 0, own).t()) +
           torch::linear(shared.to(type), weight.slice(1, own), tensors_.at("embed.bias").to(type))
               .unsqueeze(1);
  for (std::size_t i = 0; i < config_.layers; ++i) {
    const std::string layer = "layers." + std::to_string(i);
    if (config_.memory > 0) x = x + memory(norm(x, layer + ".norm0"), layer + ".memory", rounds);
    if (config_.attention != infer::AttentionKind::kNone) {
      x = x + attention(norm(x, layer + ".norm1"), layer + ".attention");
    }
    x = x + linear(torch::gelu(linear(norm(x, layer + ".norm2"), layer + ".mlp.up")),
                   layer + ".mlp.down");
  }
  x = norm(x, "norm");
  const auto logits = linear(x, "head").squeeze(-1).to(torch::kFloat32);
  const auto pooled = torch::cat({x.mean(1), x.amax(1)}, 1).to(torch::kFloat32);
  const auto two = linear(torch::gelu(linear(pooled, "pool.up")), "pool.down");
  return {logits, two.select(1, 0), two.select(1, 1)};
}

infer::Model ControllerNet::model(std::string token_schema,
                                  std::map<std::string, std::string> metadata) const {
  infer::Model out;
  out.config = config_;
  out.token_schema = std::move(token_schema);
  out.metadata = std::move(metadata);
  for (const auto& [name, tensor] : tensors_) {
    const auto flat = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
    infer::Tensor& one = out.tensors[name];
    for (const auto size : flat.sizes()) one.shape.push_back(static_cast<std::size_t>(size));
    one.values.assign(flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel());
  }
  return out;
}

}  // namespace pcgs::train
