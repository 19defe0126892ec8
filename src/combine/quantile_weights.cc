#include "combine/quantile_weights.h"

#include <limits>
#include <vector>

#include "core/kernels.h"

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

void RunningUnit::save(StateWriter& out) const {
  out.f64(mean_);
  out.u64(rounds_);
}

void RunningUnit::load(StateReader& in) {
  mean_ = in.f64_within(0, std::numeric_limits<double>::max(), "a mean score");
  rounds_ = in.u64();
  if (rounds_ >= std::uint64_t{1} << 53) in.fail("a count in it is out of range");
}

double unit_of(std::span<const double> scores, std::vector<double>& scratch) {
  scratch.assign(scores.begin(), scores.end());
  if (scratch.empty()) return 0;
  const double middle = lower_median(scratch);
  if (middle > 0) return middle;
  double mean = 0;
  for (const double s : scores) mean += s / static_cast<double>(scores.size());
  return mean;
}

Scope::Scope() {
  for (const double rate : kRates) weights_.emplace_back(rate, kRestart);
}

void Scope::learn(const Losses& losses, double part, const Proof* proof) {
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const ShareStep& step = weights_[i].learn(losses.experts, part);
    if (proof != nullptr) proof->certificate.observe(i, proof->scores, step);
  }
  vectors_.step(losses.vectors, {part * kVectorRate, part * kRestart, {}});
  if (losses.operators.empty()) return;
  operators_.step(losses.operators, {part * kOperatorRate, part * kRestart, kFirstTrust});
}

void Scope::add_expert() {
  for (ExpertWeights& one : weights_) one.add();
}

void Scope::remove_expert(std::size_t expert) {
  for (ExpertWeights& one : weights_) one.remove(expert);
}

void Scope::save(StateWriter& out) const {
  for (const ExpertWeights& one : weights_) one.save(out);
  vectors_.save(out);
  operators_.save(out);
}

void Scope::load(StateReader& in, std::size_t experts) {
  for (ExpertWeights& one : weights_) one.load(in, experts);
  vectors_.load(in);
  operators_.load(in);
}

}  // namespace pcgs::levels
