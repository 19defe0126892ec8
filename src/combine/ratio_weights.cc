#include "combine/ratio_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "combine/outliers.h"

namespace pcgs::levels {

namespace {

// How many rounds the prior counts for.
constexpr double kAll = 10, kRecent = 5, kOwn = 50;
constexpr double kForgetting = 0.8;  // when every series has had an outcome
constexpr double kLargestRatioLoss = 5;
constexpr double kMost = std::numeric_limits<double>::max();

void load_sums(StateReader& in, std::span<double> sums) {
  in.f64s_within(sums, 0, 0x1p56, "a sum of losses");  // of so many rounds as can be counted
}

double seventh_power(double x) { return x * x * x * (x * x * x) * x; }

}  // namespace

void LossSums::forget(double part) {
  for (double& x : own) x *= part;
  for (double& x : reference) x *= part;
}

void LossSums::add_candidate() {
  own.push_back(0);
  reference.push_back(0);
}

void LossSums::remove_candidate(std::size_t k) {
  own.erase(own.begin() + static_cast<std::ptrdiff_t>(k));
  reference.erase(reference.begin() + static_cast<std::ptrdiff_t>(k));
}

void LossSums::save(StateWriter& out) const {
  out.f64s(own);
  out.f64s(reference);
}

void LossSums::load(StateReader& in, std::size_t candidates) {
  for (auto* sums : {&own, &reference}) {
    sums->resize(candidates);
    load_sums(in, *sums);
  }
}

void RunningUnit::save(StateWriter& out) const {
  out.f64(mean_);
  out.u64(rounds_);
}

void RunningUnit::load(StateReader& in) {
  mean_ = in.f64_within(0, kMost, "a mean score");
  rounds_ = in.u64_below(std::uint64_t{1} << 53, "a count");
}

void RatioWeights::learn(Own& own, std::span<const double> losses, double of_reference,
                         std::size_t series) {
  own.unit.add(of_reference);
  const double unit = own.unit.mean();
  if (unit == 0) return;
  const double part = 1 / static_cast<double>(series);
  const double reference = in_units(of_reference, unit, kLargestRatioLoss);
  recent_.forget(std::pow(kForgetting, part));
  for (std::size_t k = 0; k < losses.size(); ++k) {
    if (std::isnan(losses[k])) continue;
    const double loss = in_units(losses[k], unit, kLargestRatioLoss);
    own.sums.add(k, loss, reference);
    all_.add(k, part * loss, part * reference);
    recent_.add(k, part * loss, part * reference);
  }
}

void RatioWeights::weights(const Own& own, std::span<const std::uint8_t> awake,
                           std::span<double> out) const {
  double least = std::numeric_limits<double>::infinity(), total = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!awake[k]) continue;
    const double of_all = all_.ratio(k, 1, kAll), lately = recent_.ratio(k, of_all, kRecent);
    out[k] = own.sums.ratio(k, lately, kOwn);
    least = std::min(least, out[k]);
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    total += out[k] = awake[k] ? seventh_power(least / out[k]) : 0;
  }
  for (double& w : out) w /= total;
}

void RatioWeights::add_candidate() {
  all_.add_candidate();
  recent_.add_candidate();
}

void RatioWeights::remove_candidate(std::size_t k) {
  all_.remove_candidate(k);
  recent_.remove_candidate(k);
}

void RatioWeights::save(StateWriter& out) const {
  all_.save(out);
  recent_.save(out);
}

void RatioWeights::load(StateReader& in, std::size_t candidates) {
  all_.load(in, candidates);
  recent_.load(in, candidates);
}

void save(StateWriter& out, const RatioWeights::Own& own) {
  own.sums.save(out);
  own.unit.save(out);
}

void load(StateReader& in, RatioWeights::Own& own, std::size_t candidates) {
  own.sums.load(in, candidates);
  own.unit.load(in);
}

void PooledTrust::learn(std::span<const double> losses, std::size_t series) {
  for (std::size_t j = 0; j < sums_.size(); ++j) {
    sums_[j] += losses[j] / static_cast<double>(series);
  }
  weigh();
}

void PooledTrust::weigh() {
  constexpr double kPrior = 5, kPower = 60;
  const double least = *std::ranges::min_element(sums_) + kPrior;
  double total = 0;
  for (std::size_t j = 0; j < sums_.size(); ++j) {
    weights_[j] = first_[j] * std::exp(-kPower * std::log((sums_[j] + kPrior) / least));
    total += weights_[j];
  }
  for (double& w : weights_) w /= total;
}

void PooledTrust::load(StateReader& in) {
  load_sums(in, sums_);
  weigh();
}

}  // namespace pcgs::levels
