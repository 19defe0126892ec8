// The parts of the network that have passes of their own: against what libtorch makes of their
// definitions, forwards and backwards, on the CPU and, where there is one, on a GPU.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <functional>
#include <vector>

#include "gated_memory.h"
#include "row_norm.h"
#include "self_attention.h"

namespace pcgs::train {

namespace {

using Tensors = std::vector<torch::Tensor>;
using Function = std::function<torch::Tensor(const Tensors&)>;

// The value and what every input is owed if the value is paid for with `prices`.
Tensors value_and_gradients(const Function& f, Tensors inputs, const torch::Tensor& prices) {
  for (auto& x : inputs) x = x.detach().clone().requires_grad_();
  const auto value = f(inputs);
  value.backward(prices.to(value.device(), value.dtype()));
  Tensors all = {value.detach()};
  for (const auto& x : inputs) all.push_back(x.grad());
  return all;
}

void expect_equal(const Tensors& one, const Tensors& other, double tolerance) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    const auto a = one[i].to(torch::kCPU, torch::kDouble),
               b = other[i].to(torch::kCPU, torch::kDouble);
    ASSERT_EQ(a.sizes(), b.sizes()) << i;
    const double size = b.abs().max().item<double>() + 1e-12;
    EXPECT_LE((a - b).abs().max().item<double>() / size, tolerance) << "number " << i;
  }
}

std::vector<torch::Device> devices() {
  std::vector<torch::Device> all = {torch::Device(torch::kCPU)};
#ifdef PCGS_CUDA
  if (torch::cuda::is_available()) all.emplace_back(torch::kCUDA);
#endif
  return all;
}

// `fast` in float on every device beside `plain` in double on the CPU.
void expect_same_on_devices(const Function& fast, const Function& plain, const Tensors& inputs) {
  Tensors exact;
  for (const auto& x : inputs) exact.push_back(x.to(torch::kDouble));
  const auto prices = torch::randn_like(plain(exact));
  const auto expected = value_and_gradients(plain, exact, prices);
  for (const auto& device : devices()) {
    Tensors here;
    for (const auto& x : inputs) here.push_back(x.to(device));
    expect_equal(value_and_gradients(fast, here, prices), expected, 2e-4);
  }
}

torch::Tensor naive_memory(const Tensors& inputs) {
  const auto parts = inputs[0].chunk(3, 3);
  const auto keep = torch::sigmoid(parts[0]);
  auto held = torch::zeros_like(parts[1].select(1, 0));
  std::vector<torch::Tensor> shown;
  for (std::int64_t t = 0; t < keep.size(1); ++t) {
    const auto a = keep.select(1, t);
    held = a * held + (1 - a) * parts[1].select(1, t);
    shown.push_back(held * torch::silu(parts[2].select(1, t)));
  }
  return torch::stack(shown, 1);
}

TEST(GatedMemory, EqualsItsDefinition) {
  torch::manual_seed(1);
  for (const auto& [batch, rounds, experts, channels] :
       {std::array<std::int64_t, 4>{1, 1, 1, 1}, {2, 17, 3, 5}, {3, 40, 32, 64}}) {
    expect_same_on_devices([](const Tensors& x) { return gated_memory(x[0]); }, naive_memory,
                           {torch::randn({batch, rounds, experts, 3 * channels}) * 2});
  }
}

TEST(RowNorm, EqualsLayerNorm) {
  torch::manual_seed(2);
  for (const std::int64_t width : {2, 3, 32, 33, 64, 128, 200, 1024}) {
    expect_same_on_devices(
        [](const Tensors& x) { return row_norm(x[0], x[1], x[2]); },
        [&](const Tensors& x) { return torch::layer_norm(x[0], {width}, x[1], x[2], 1e-5); },
        {torch::randn({7, 11, width}) * 3 + 1, torch::randn({width}), torch::randn({width})});
  }
}

TEST(SelfAttention, EqualsItsDefinition) {
  torch::manual_seed(3);
  for (const auto& [sets, tokens, heads, width] : {std::array<std::int64_t, 4>{1, 1, 1, 8},
                                                   {5, 33, 4, 64},
                                                   {2, 130, 2, 32},
                                                   {3, 20, 4, 128},
                                                   {2, 7, 3, 9},
                                                   {1, 700, 2, 16}}) {
    expect_same_on_devices([h = heads](const Tensors& x) { return self_attention(x[0], h); },
                           [h = heads](const Tensors& x) {
                             const auto parts = x[0].chunk(3, 2);
                             return attention_to(parts[0], parts[1], parts[2], h);
                           },
                           {torch::randn({sets, tokens, 3 * width}) * 1.5});
  }
}

}  // namespace

}  // namespace pcgs::train
