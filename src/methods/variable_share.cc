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

  void learn(const Round& round) override {
    const std::size_t experts = cost_.size();
    for (std::size_t k = 0; k < experts; ++k) cost_[k] += eta_ * round.losses[k];
    const auto [least, log_sum] = kernels::softmin(cost_, 1, weights_);
    const double log_keep = std::log1p(-rho_);
    double pool = 0;
    for (std::size_t k = 0; k < experts; ++k) {
      gift_[k] = -std::expm1(log_keep * round.losses[k]) * weights_[k];
      pool += gift_[k];
    }
    for (std::size_t k = 0; k < experts; ++k) {
      const double gain = experts > 1
                              ? std::max(0.0, pool - gift_[k]) / static_cast<double>(experts - 1)
                              : gift_[k];
      weights_[k] += gain - gift_[k];
      // Where nothing was received the weight may be below the range of a double, and its cost goes
      // on in the log domain.
      cost_[k] = gain > kernels::kSmallestPlain
                     ? -std::log(weights_[k])
                     : cost_[k] - least + log_sum - log_keep * round.losses[k];
    }
  }

  void save(StateWriter& out) const override {
    out.f64s(cost_);
    out.f64s(weights_);
  }
  void load(StateReader& in) override {
    load_finite(in, cost_, -1, "a log-weight");
    load_weights(in, weights_);
  }

 private:
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
