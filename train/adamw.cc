#include "adamw.h"

#include <cmath>

namespace pcgs::train {

namespace {

constexpr double kMeanDecay = 0.9;
constexpr double kSquareDecay = 0.98;
constexpr double kEpsilon = 1e-8;

}  // namespace

AdamW::AdamW(std::vector<torch::Tensor> parameters, double weight_decay)
    : parameters_(std::move(parameters)), weight_decay_(weight_decay) {
  for (const auto& p : parameters_) {
    mean_.push_back(torch::zeros_like(p));
    square_.push_back(torch::zeros_like(p));
  }
}

bool AdamW::step(double rate, double most) {
  torch::NoGradGuard no_gradients;
  // Lists of tensors, for operations on all of them at once: one by one, a GPU waits for each.
  std::vector<torch::Tensor> gradients, changed, means, squares, decaying;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto& p = parameters_[i];
    if (!p.grad().defined()) continue;
    gradients.push_back(p.grad());
    changed.push_back(p);
    means.push_back(mean_[i]);
    squares.push_back(square_[i]);
    if (p.dim() > 1) decaying.push_back(p);  // biases and norms do not decay
  }
  const double norm = torch::stack(at::_foreach_norm(gradients)).norm().item<double>();
  const bool finite = std::isfinite(norm);
  if (finite) {
    ++steps_;
    const double to_mean = 1 / (1 - std::pow(kMeanDecay, static_cast<double>(steps_)));
    const double to_square = 1 / (1 - std::pow(kSquareDecay, static_cast<double>(steps_)));
    at::_foreach_mul_(gradients, norm > most ? most / norm : 1.0);
    at::_foreach_mul_(means, kMeanDecay);
    at::_foreach_add_(means, gradients, 1 - kMeanDecay);
    at::_foreach_mul_(squares, kSquareDecay);
    at::_foreach_addcmul_(squares, gradients, gradients, 1 - kSquareDecay);
    auto size = at::_foreach_mul(squares, to_square);
    at::_foreach_sqrt_(size);
    at::_foreach_add_(size, kEpsilon);
    if (!decaying.empty()) at::_foreach_mul_(decaying, 1 - rate * weight_decay_);
    at::_foreach_addcdiv_(changed, means, size, -rate * to_mean);
  }
  for (auto& p : parameters_) p.mutable_grad() = torch::Tensor();
  return finite;
}

std::vector<torch::Tensor> AdamW::state() const {
  std::vector<torch::Tensor> all = {torch::tensor(steps_)};
  all.insert(all.end(), mean_.begin(), mean_.end());
  all.insert(all.end(), square_.begin(), square_.end());
  return all;
}

void AdamW::restore(const std::vector<torch::Tensor>& state) {
  TORCH_CHECK(state.size() == 1 + 2 * parameters_.size(), "the state of another optimiser");
  steps_ = state[0].item<std::int64_t>();
  torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    mean_[i].copy_(state[1 + i]);
    square_[i].copy_(state[1 + parameters_.size() + i]);
  }
}

}  // namespace pcgs::train
