#include "methods/adahedge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"

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

// AdaHedge: exponential weights whose learning rate falls with the mixability gap it has paid.
//
//     L(k)    cumulative loss        w(k) ~ exp(-eta L(k))        eta = ln K / Delta
//     Delta  += <w,l> - ( M(L + l) - M(L) )        M(L) = -(1/eta) ln( (1/K) sum_k exp(-eta L(k)) )
//
// While Delta = 0 eta is infinite: the leaders share evenly, and M is the least cumulative loss.
// Regret to the best single expert <= 2 Delta <= sqrt(T ln K) + (4/3) ln K + 2, and far less where
// the losses are easy. De Rooij, van Erven, Grunwald and Koolen, Follow the leader if you can,
// hedge if you must, 2014, Theorem 8. No bound against switching paths.

namespace {

class AdaHedge final : public Method {
 public:
  explicit AdaHedge(std::size_t experts)
      : gap_(experts),
        losses_(experts, 0.0),
        weights_(experts, 1.0 / static_cast<double>(experts)),
        scratch_(experts) {}

  std::string name() const override { return "adahedge"; }
  std::span<const double> weights() const override { return weights_; }

  void learn(const Round& round) override {
    if (losses_.size() == 1) return;
    const double hedge_loss = kernels::dot(weights_, round.losses);
    // Relative to the leader before the round, so that the difference of the two M loses no digits.
    const double leader = *std::min_element(losses_.begin(), losses_.end());
    const double before = soft_minimum(leader);
    for (std::size_t k = 0; k < losses_.size(); ++k) losses_[k] += round.losses[k];
    const double after = soft_minimum(leader);
    gap_.pay(hedge_loss, after - before);
    play();
  }

  void save(StateWriter& out) const override {
    gap_.save(out);
    out.experts(losses_, out.change() != nullptr ? loss_of_newcomers(*out.change()) : 0);
    out.weights(weights_);
  }
  void load(StateReader& in) override {
    gap_.load(in);
    load_finite(in, losses_, 0, "a cumulative loss");
    load_weights(in, weights_);
  }

 private:
  // M(L) of those that stay: so a newcomer gets the mean of their weights.
  double loss_of_newcomers(const ExpertChange& change) const {
    std::vector<double> left, shares(losses_.size());
    for (std::size_t k = 0; k < losses_.size(); ++k) {
      if (change.place_of(k) != ExpertChange::kNew) left.push_back(losses_[k]);
    }
    if (left.empty()) return 0;
    const double eta = gap_.learning_rate();
    if (!(eta > 0 && std::isfinite(eta))) return *std::min_element(left.begin(), left.end());
    const auto [least, log_sum] = kernels::softmin(left, eta, std::span(shares).first(left.size()));
    return std::max(0.0, least - (log_sum - std::log(static_cast<double>(left.size()))) / eta);
  }

  // M(L) - base, at the current eta.
  double soft_minimum(double base) {
    const double eta = gap_.learning_rate();
    if (std::isinf(eta)) return *std::min_element(losses_.begin(), losses_.end()) - base;
    const auto [least, log_sum] = kernels::softmin(losses_, eta, scratch_);
    return (least - base) - (log_sum - gap_.log_members()) / eta;
  }

  void play() {
    const double eta = gap_.learning_rate();
    if (!std::isinf(eta)) {
      kernels::softmin(losses_, eta, weights_);
      return;
    }
    const double least = *std::min_element(losses_.begin(), losses_.end());
    const auto leaders = std::count(losses_.begin(), losses_.end(), least);
    for (std::size_t k = 0; k < losses_.size(); ++k) {
      weights_[k] = losses_[k] == least ? 1 / static_cast<double>(leaders) : 0;
    }
  }

  MixabilityGap gap_;
  std::vector<double> losses_;   // [K] L
  std::vector<double> weights_;  // [K]
  std::vector<double> scratch_;  // [K]
};

}  // namespace

std::unique_ptr<Method> make_adahedge(std::size_t experts) {
  return std::make_unique<AdaHedge>(experts);
}

}  // namespace pcgs
