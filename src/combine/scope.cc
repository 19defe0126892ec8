#include "combine/scope.h"

#include "core/order_statistic.h"

namespace pcgs::levels {

double unit_of(std::span<const double> scores, std::vector<double>& scratch) {
  scratch.assign(scores.begin(), scores.end());
  if (scratch.empty()) return 0;
  const double middle = lower_median(scratch);
  if (middle > 0) return middle;
  double mean = 0;
  for (const double s : scores) mean += s / static_cast<double>(scores.size());
  return mean;
}

// Not a division where the quotient would be no number.
double in_units(double score, double unit) {
  return score < kLargestLoss * unit ? score / unit : kLargestLoss;
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

void Scope::load_weights(StateReader& in, std::size_t experts) {
  for (ExpertWeights& one : weights_) one.load(in, experts);
  vectors_.load(in);
}

void Scope::load(StateReader& in, std::size_t experts) {
  load_weights(in, experts);
  operators_.load(in);
}

void Scope::load_first_version(StateReader& in, std::size_t experts) {
  load_weights(in, experts);
  Share(kFirstOperators).load(in);
}

}  // namespace pcgs::levels
