#include "combine/score_filters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "combine/outliers.h"
#include "core/kernels.h"

namespace pcgs::levels {

namespace {

// A tenth needs a season to tell experts apart that differ by a few per cent, three follows whoever was
// good in the last rounds.
constexpr std::array kRates = {0.1, 0.3, 1.0, 3.0};
constexpr double kRestart = 0.01;

}  // namespace

void ExpertWeights::weights_of(std::span<const std::uint8_t> awake, std::span<double> out) const {
  double total = 0;
  for (std::size_t k = 0; k < out.size(); ++k) total += out[k] = awake[k] ? weights()[k] : 0;
  for (double& w : out) w /= total;
}

const ShareStep& ExpertWeights::learn(std::span<const double> losses) {
  return share_->step(losses, {eta_, rho_, {}});
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

double unit_of(std::span<const double> scores, std::vector<double>& scratch) {
  scratch.assign(scores.begin(), scores.end());
  if (scratch.empty()) return 0;
  const double middle = lower_median(scratch);
  if (middle > 0) return middle;
  double mean = 0;
  for (const double s : scores) mean += s / static_cast<double>(scores.size());
  return mean;
}

ProvedScores::ProvedScores(std::size_t experts) : certificate_(kRates.size()) {
  for (const double rate : kRates) filters_.emplace_back(rate, kRestart);
  for (std::size_t k = 0; k < experts; ++k) add_expert();
}

void ProvedScores::learn(std::span<const double> experts, double combined, double published) {
  scores_.clear();
  for (const double x : experts) {
    if (!std::isnan(x)) scores_.push_back(x);
  }
  const double unit = unit_of(scores_, scratch_);
  if (unit == 0) return;  // everybody was right
  const auto in_unit = [&](double x) {
    return std::min(x / unit, std::numeric_limits<double>::max());
  };
  scores_.clear();
  seen_.clear();
  for (const double x : experts) {
    scores_.push_back(in_unit(std::isnan(x) ? combined : x));
    seen_.push_back(std::min(scores_.back(), kLargestScore));
  }
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    certificate_.observe(i, {scores_, seen_, in_unit(published)}, filters_[i].learn(seen_));
  }
}

void ProvedScores::add_expert() {
  certificate_.add_expert();
  for (ExpertWeights& one : filters_) one.add();
  for (auto* room : {&scores_, &seen_, &scratch_}) room->reserve(filters_.front().experts());
}

void ProvedScores::remove_expert(std::size_t expert) {
  certificate_.remove_expert(expert);
  for (ExpertWeights& one : filters_) one.remove(expert);
}

void ProvedScores::save(StateWriter& out) const {
  for (const ExpertWeights& one : filters_) one.save(out);
  certificate_.save(out);
}

void ProvedScores::load(StateReader& in, std::size_t experts) {
  for (ExpertWeights& one : filters_) one.load(in, experts);
  certificate_.load(in, experts);
  for (auto* room : {&scores_, &seen_, &scratch_}) room->reserve(experts);
}

}  // namespace pcgs::levels
