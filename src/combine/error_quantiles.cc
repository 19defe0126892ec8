#include "combine/error_quantiles.h"

#include <algorithm>
#include <cmath>

namespace pcgs {

namespace {

constexpr std::size_t kMost = 1000, kBefore = 20;
constexpr double kLargest = 100;  // what is beyond it is as good as there
constexpr double kMirrored = 1.0 / 8;

double laplace_quantile(double p) { return p < 0.5 ? std::log(2 * p) : -std::log(2 - 2 * p); }

}  // namespace

ErrorQuantiles::ErrorQuantiles() {
  arrived_.reserve(kMost);
  sorted_.reserve(kMost);
  for (std::size_t i = 0; i < kBefore; ++i) {
    arrived_.push_back(laplace_quantile((static_cast<double>(i) + 0.5) / kBefore));
  }
  sorted_ = arrived_;
}

void ErrorQuantiles::add(double error) {
  const double one = std::clamp(error, -kLargest, kLargest);
  if (arrived_.size() < kMost) {
    arrived_.push_back(one);
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), one), one);
    return;
  }
  // The oldest leaves its place, and what lies between moves by one.
  const auto from = std::lower_bound(sorted_.begin(), sorted_.end(), arrived_[next_]);
  const auto to = std::upper_bound(sorted_.begin(), sorted_.end(), one);
  if (from < to) {
    *std::move(from + 1, to, from) = one;
  } else {
    std::move_backward(to, from, from + 1);
    *to = one;
  }
  arrived_[next_] = one;
  next_ = (next_ + 1) % kMost;
}

double ErrorQuantiles::of_errors(double probability) const {
  const auto n = static_cast<double>(sorted_.size());
  const double at = probability * n - 0.5;
  const auto beyond = [&](double extreme, double outside) {
    return extreme * (1 + std::log(0.5 / std::max(outside * n, 1e-9)) / std::log(n));
  };
  if (at <= 0) {
    const double lowest = sorted_.front();
    return lowest < 0 ? beyond(lowest, probability) : lowest;
  }
  if (at >= n - 1) {
    const double highest = sorted_.back();
    return highest > 0 ? beyond(highest, 1 - probability) : highest;
  }
  const auto below = static_cast<std::size_t>(at);
  const double share = at - static_cast<double>(below);
  return sorted_[below] + share * (sorted_[below + 1] - sorted_[below]);
}

double ErrorQuantiles::quantile(double probability) const {
  return (1 - kMirrored) * of_errors(probability) - kMirrored * of_errors(1 - probability);
}

void ErrorQuantiles::save(StateWriter& out) const {
  out.u64(arrived_.size());
  out.u64(next_);
  out.f64s(arrived_);
}

void ErrorQuantiles::load(StateReader& in) {
  const std::size_t count = in.count(sizeof(double));
  next_ = in.u64();
  if (count < kBefore || count > kMost || next_ >= kMost || (count < kMost && next_ != 0)) {
    in.fail("a count of errors in it is out of range");
  }
  arrived_.resize(count);
  in.f64s(arrived_);
  for (const double error : arrived_) {
    if (!(std::abs(error) <= kLargest)) in.fail("an error in it is out of range");
  }
  sorted_ = arrived_;
  std::sort(sorted_.begin(), sorted_.end());
}

}  // namespace pcgs
