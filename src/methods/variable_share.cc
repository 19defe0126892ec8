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
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels.h"
#include "methods/methods.h"

namespace pcgs {

namespace {

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

}  // namespace

std::unique_ptr<Method> make_variable_share(std::size_t experts, double eta, double rho) {
  return std::make_unique<VariableShare>(experts, eta, rho);
}

}  // namespace pcgs
