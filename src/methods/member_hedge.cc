#include "methods/member_hedge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.h"
#include "methods/state_checks.h"

namespace pcgs {

namespace {

// Members' losses are sums that round; with a larger eta that rounding would decide whom to follow.
constexpr double kLeastGap = 1e-9;

}  // namespace

MemberHedge::MemberHedge(std::vector<double> prior)
    : log_prior_(prior.size()),
      gap_(prior.size(), kLeastGap),
      behind_(prior.size(), 0.0),
      shares_(std::move(prior)),
      handicap_(shares_.size()),
      scratch_(shares_.size()) {
  for (std::size_t m = 0; m < members(); ++m) log_prior_[m] = -std::log(shares_[m]);
  soft_ = soft_minimum(gap_.learning_rate(), shares_);  // the prior, rounded as it is after load()
}

void MemberHedge::learn(std::span<const double> losses) {
  const double eta = gap_.learning_rate();
  const double least = *std::min_element(losses.begin(), losses.end());
  double hedge_loss = 0;  // relative to the least, as everything here
  for (std::size_t m = 0; m < members(); ++m) hedge_loss += shares_[m] * (losses[m] - least);
  for (std::size_t m = 0; m < members(); ++m) behind_[m] += losses[m] - least;
  const double after = soft_minimum(eta, scratch_);
  gap_.pay(hedge_loss, after - soft_);
  const double leader = *std::min_element(behind_.begin(), behind_.end());
  for (double& c : behind_) c -= leader;
  soft_ = soft_minimum(gap_.learning_rate(), shares_);
}

double MemberHedge::bound(std::span<const double> excess) const {
  const double eta = gap_.learning_rate();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < members(); ++m) {
    least = std::min(least, excess[m] + log_prior_[m] / eta);
  }
  if (std::isinf(least)) return least;
  double sum = 0;
  for (std::size_t m = 0; m < members(); ++m) {
    sum += std::exp(eta * (least - excess[m]) - log_prior_[m]);
  }
  return gap_.sum() + least - std::log(sum) / eta;
}

void MemberHedge::save(StateWriter& out) const {
  gap_.save(out);
  out.f64s(behind_);
}

void MemberHedge::load(StateReader& in) {
  gap_.load(in);
  load_finite(in, behind_, 0, "a member's loss behind the leader");
  soft_ = soft_minimum(gap_.learning_rate(), shares_);
}

// soft(C) less the least C, and the shares at that eta.
double MemberHedge::soft_minimum(double eta, std::span<double> shares) {
  for (std::size_t m = 0; m < members(); ++m) handicap_[m] = behind_[m] + log_prior_[m] / eta;
  const auto [least, log_sum] = kernels::softmin(handicap_, eta, shares);
  return least - log_sum / eta;
}

}  // namespace pcgs
