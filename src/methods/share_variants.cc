// Variants of Fixed Share that are not a controlled recursion: Variable Share and Learn-alpha.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"

namespace pcgs {

namespace {

// Variable Share: an expert gives weight away only as it loses, so a perfect expert keeps all of
// it.
//
//     v(k)    = w(k) exp(-eta l(k)) / Z
//     gift(k) = (1 - (1-rho)^l(k)) v(k)
//     w'(k)   = v(k) - gift(k) + (1/(K-1)) sum_{j != k} gift(j)
//
// The share that is given away depends on the expert, so this is not the common-rho recursion and
// carries none of its certificates. Bound: Herbster and Warmuth, Tracking the best expert, 1998,
// Theorem 2, where the cost of a switch does not grow with T while the best path's loss is small.
class VariableShare final : public Method {
 public:
  VariableShare(std::size_t experts, double eta, double rho)
      : eta_(eta), rho_(rho), cost_(experts, 0.0), gift_(experts), weights_(experts) {
    std::fill(weights_.begin(), weights_.end(), 1.0 / static_cast<double>(experts));
  }

  std::string name() const override {
    return fmt::format("variable-share{{eta={},rho={}}}", eta_, rho_);
  }
  std::span<const double> weights() const override { return weights_; }

  // In logarithms: with a large eta an expert may live on gifts far below the range of a double.
  void learn(const Round& round) override {
    const std::size_t experts = cost_.size();
    if (experts == 1) return;
    for (std::size_t k = 0; k < experts; ++k) cost_[k] += eta_ * round.losses[k];
    const auto [least, log_sum] = kernels::softmin(cost_, 1, weights_);
    const double log_keep = std::log1p(-rho_);
    std::size_t largest = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      cost_[k] += log_sum - least;                                              // -ln v(k)
      gift_[k] = std::log(-std::expm1(log_keep * round.losses[k])) - cost_[k];  // -inf: none
      if (gift_[k] > gift_[largest]) largest = k;
    }
    const double scale = gift_[largest];
    if (std::isinf(scale)) return;  // nobody gives anything: weights_ are v already
    // Gifts relative to the largest, which is kept apart so that leaving it out cancels nothing.
    double others = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      gift_[k] = std::exp(gift_[k] - scale);
      if (k != largest) others += gift_[k];
    }
    const double log_each = scale - std::log(static_cast<double>(experts - 1));
    for (std::size_t k = 0; k < experts; ++k) {
      const double received = k == largest ? others : 1 + (others - gift_[k]);
      const double kept = log_keep * round.losses[k] - cost_[k];
      const double gained = std::log(received) + log_each;  // -inf: nothing
      const double high = std::max(kept, gained);
      cost_[k] = -(high + std::log1p(std::exp(std::min(kept, gained) - high)));
    }
    kernels::softmin(cost_, 1, weights_);
  }

  void save(StateWriter& out) const override {
    if (out.change() == nullptr) {
      out.f64s(cost_);
      out.f64s(weights_);
      return;
    }
    std::vector<double> cost = cost_after(*out.change()), weights(cost.size());
    kernels::softmin(cost, 1, weights);
    out.f64s(cost);
    out.f64s(weights);
  }
  void load(StateReader& in) override {
    load_finite(in, cost_, -1, "a log-weight");
    load_weights(in, weights_);
  }

 private:
  // -ln of the weights after a change; in logarithms, as far as they reach.
  std::vector<double> cost_after(const ExpertChange& change) const {
    constexpr double kNobody = 0;
    std::vector<double> cost = change.moved<double>(cost_, kNobody);
    double least = std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t k = 0; k < cost.size(); ++k) {
      if (!change.is_new(k)) least = std::min(least, cost[k]);
    }
    for (std::size_t k = 0; k < cost.size(); ++k) {
      if (!change.is_new(k)) sum += std::exp(least - cost[k]);
    }
    for (std::size_t k = 0; k < cost.size(); ++k) {
      cost[k] = change.is_new(k) ? -std::log(change.entry(k))
                                 : cost[k] - least + std::log(sum) - std::log(change.staying());
    }
    return cost;
  }

  double eta_;
  double rho_;
  std::vector<double> cost_;     // [K] -ln w
  std::vector<double> gift_;     // [K] scratch
  std::vector<double> weights_;  // [K]
};

// Learn-alpha: Bayes over a grid of Fixed Share filters, so that neither rate has to be tuned.
//
//     member i: Fixed Share with (eta_i, rho_i), weights w_i
//     evidence of the round for member i:
//         e_i = sum_k w_i(k) exp(-eta_i l(k)) / ( (1/K) sum_k exp(-eta_i l(k)) )
//     p(i) ~ p(i) e_i,  p uniform at the start        w(k) = sum_i p(i) w_i(k)
//
// With one eta the denominator is common to all members and this is the algorithm of Monteleoni and
// Jaakkola, Online learning of non-stationary sequences, 2003. To compare different eta a
// likelihood is needed: given the multiset of this round's losses and the current best expert k,
// let k hold loss l with probability proportional to exp(-eta l) and deal out the others at random.
// Its normaliser is the denominator. It does not change when all losses move together, and for
// Gaussian losses of variance s^2 it is maximal at eta = (how much better the best is) / s^2, the
// right rate.
//
// The posterior pays at most ln(70) nats more than the best member's evidence; that is a bound on
// evidence, not on regret, and no certificate of the share recursion applies.
class LearnAlpha final : public Method {
 public:
  explicit LearnAlpha(std::size_t experts)
      : posterior_(kGridSize),
        weights_(experts, 1.0 / static_cast<double>(experts)),
        scratch_(experts) {
    members_.reserve(kGridSize);
    for (std::size_t i = 0; i < kGridSize; ++i) members_.emplace_back(experts);
    awake_losses_.reserve(experts);
  }

  std::string name() const override { return "learn-alpha"; }
  std::span<const double> weights() const override { return weights_; }

  void learn(const Round& round) override {
    awake_losses_.clear();
    for (std::size_t k = 0; k < round.losses.size(); ++k) {
      if (round.is_awake(k)) awake_losses_.push_back(round.losses[k]);
    }
    const double log_awake = std::log(static_cast<double>(awake_losses_.size()));
    std::array<double, kGridSize> surprise;  // -ln e_i
    std::size_t i = 0;
    for (const double eta : kEtaGrid) {
      const auto [least, log_sum] =
          kernels::softmin(awake_losses_, eta, std::span(scratch_).first(awake_losses_.size()));
      const double log_mean = log_sum - log_awake - eta * least;
      for (const double rho : kRhoGrid) {
        surprise[i] = eta * members_[i].step(round.losses, {eta, rho, {}}).mix_loss + log_mean;
        ++i;
      }
    }
    posterior_.step(surprise, {1, 0, {}});
    mix([&](std::size_t member) { return members_[member].weights(); }, weights_);
  }

  void save(StateWriter& out) const override {
    if (const ExpertChange* change = out.change()) return save_after(*change, out);
    for (const Share& member : members_) member.save(out);
    posterior_.save(out);
    out.f64s(weights_);
  }
  void load(StateReader& in) override {
    for (Share& member : members_) member.load(in);
    posterior_.load(in);
    load_weights(in, weights_);
  }

 private:
  // What the posterior makes of the members' weights.
  template <class WeightsOf>
  void mix(const WeightsOf& weights_of, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t i = 0; i < kGridSize; ++i) {
      const double p = posterior_.weights()[i];
      const auto w = weights_of(i);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] += p * w[k];
    }
    // Seventy products round; the sum of the weights must not.
    double total = 0;
    for (const double w : out) total += w;
    for (double& w : out) w /= total;
  }

  // Members are not experts: the posterior stays.
  void save_after(const ExpertChange& change, StateWriter& out) const {
    const StateWriter::Changing nobody(out, nullptr);
    std::vector<Share> after;
    for (const Share& member : members_) after.push_back(member.after(change));
    for (const Share& member : after) member.save(out);
    posterior_.save(out);
    std::vector<double> weights(change.after());
    mix([&](std::size_t member) { return after[member].weights(); }, weights);
    out.f64s(weights);
  }

  std::vector<Share> members_;        // [kGridSize], eta-major
  Share posterior_;                   // over members
  std::vector<double> weights_;       // [K]
  std::vector<double> scratch_;       // [K]
  std::vector<double> awake_losses_;  // [number awake]
};

}  // namespace

std::unique_ptr<Method> make_variable_share(std::size_t experts, double eta, double rho) {
  return std::make_unique<VariableShare>(experts, eta, rho);
}

std::unique_ptr<Method> make_learn_alpha(std::size_t experts) {
  return std::make_unique<LearnAlpha>(experts);
}

}  // namespace pcgs
