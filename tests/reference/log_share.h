// The share recursion in logarithms and long double: nothing can underflow.
//
//     ln v(k)  = ln w(k) - eta l(k) - ln Z
//     w'(k)    = (1 - rho) v(k) + rho q(k)
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pcgs::reference {

// ln sum exp(x), safe for any finite or -infinite entries.
long double log_sum_exp(const std::vector<long double>& x);

class LogShare {
 public:
  explicit LogShare(std::size_t experts);
  explicit LogShare(std::span<const double> initial);

  struct Step {
    double mix_loss = 0;  // -ln(Z) / eta
    double gap = 0;       // <w,l> - mix_loss
  };
  // q empty means uniform.
  Step step(std::span<const double> losses, double eta, double rho, std::span<const double> q = {});
  // The two halves of step(), for whoever needs the posterior v before the restart.
  Step posterior(std::span<const double> losses, double eta);
  void restart(double rho, std::span<const double> q);

  std::size_t experts() const { return log_weights_.size(); }
  std::vector<double> weights() const;
  const std::vector<long double>& log_weights() const { return log_weights_; }

 private:
  std::vector<long double> log_weights_;  // [K]
};

}  // namespace pcgs::reference
