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
  std::vector<torch::Tensor> norms;
  for (const auto& p : parameters_) {
    if (p.grad().defined()) norms.push_back(p.grad().norm());
  }
  const double norm = torch::stack(norms).norm().item<double>();
  const bool finite = std::isfinite(norm);
  if (finite) {
    ++steps_;
    const double shrink = norm > most ? most / norm : 1;
    const double to_mean = 1 / (1 - std::pow(kMeanDecay, static_cast<double>(steps_)));
    const double to_square = 1 / (1 - std::pow(kSquareDecay, static_cast<double>(steps_)));
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      auto& p = parameters_[i];
      if (!p.grad().defined()) continue;
      const auto g = p.grad() * shrink;
      mean_[i].mul_(kMeanDecay).add_(g, 1 - kMeanDecay);
      square_[i].mul_(kSquareDecay).addcmul_(g, g, 1 - kSquareDecay);
      if (p.dim() > 1) p.mul_(1 - rate * weight_decay_);  // biases and norms do not decay
      p.sub_(rate * to_mean * mean_[i] / ((square_[i] * to_square).sqrt() + kEpsilon));
    }
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
