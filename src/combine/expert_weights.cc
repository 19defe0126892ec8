#include "combine/expert_weights.h"

#include <vector>

namespace pcgs::levels {

const ShareStep& ExpertWeights::learn(std::span<const double> losses, double part) {
  return share_->step(losses, {part * eta_, part * rho_, {}});
}

void ExpertWeights::add() {
  const auto before = static_cast<double>(experts());
  std::vector<double> weights(this->weights().begin(), this->weights().end());
  for (double& w : weights) w *= before / (before + 1);
  weights.push_back(1 / (before + 1));
  share_.emplace(weights.size(), weights);
}

void ExpertWeights::remove(std::size_t expert) {
  std::vector<double> weights(this->weights().begin(), this->weights().end());
  weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(expert));
  share_.reset();
  if (weights.empty()) return;
  double left = 0;  // not 0: every weight is at least a restart
  for (const double w : weights) left += w;
  for (double& w : weights) w /= left;
  share_.emplace(weights.size(), weights);
}

void ExpertWeights::save(StateWriter& out) const {
  if (share_) share_->save(out);
}

void ExpertWeights::load(StateReader& in, std::size_t experts) {
  share_.reset();
  if (experts == 0) return;
  share_.emplace(experts);
  share_->load(in);
  for (const double w : weights()) {
    if (w == 0) in.fail("an expert in it has no weight, which restarts do not let happen");
  }
}

}  // namespace pcgs::levels
