// The share recursion and those that choose its rates, in logarithms and long double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pcgs::reference {

// What the slow methods of this library have in common, and the protocol of docs/internals/mathematics.md
// written out once: play renormalised over the awake, give each sleeper the learner's own loss.
struct FinishedRound {
  std::vector<double> losses;       // [K] bounded; a sleeper's is the mixture loss
  std::vector<std::uint8_t> awake;  // [K]
  double learner_loss = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;
  virtual std::vector<double> weights() const = 0;  // [K]
  virtual void learn(const FinishedRound& round) = 0;
};

// [K] zero for sleepers. Requires awake weight.
std::vector<double> played(const Learner& learner, const std::vector<std::uint8_t>& awake);

// One round with losses; entries of sleepers are not looked at. Returns the mixture loss.
double play_losses(Learner& learner, std::vector<double> losses,
                   const std::vector<std::uint8_t>& awake);

// One round with forecasts, squared loss and no scaling; entries of sleepers are not looked at.
// Returns the combined forecast.
double play_forecasts(Learner& learner, const std::vector<double>& forecasts,
                      const std::vector<std::uint8_t>& awake, double outcome);

// The share recursion in logarithms and long double: nothing can underflow.
//
//     ln v(k)  = ln w(k) - eta l(k) - ln Z
//     w'(k)    = (1 - rho) v(k) + rho q(k)

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

// Fixed Share (Herbster & Warmuth 1998): the share recursion with eta and rho constant and q
// uniform. rho = 0 is Hedge.
class FixedShare final : public Learner {
 public:
  FixedShare(std::size_t experts, double eta, double rho) : share_(experts), eta_(eta), rho_(rho) {}

  std::vector<double> weights() const override { return share_.weights(); }
  void learn(const FinishedRound& round) override { share_.step(round.losses, eta_, rho_); }

 private:
  LogShare share_;
  double eta_, rho_;
};

// Variable Share (Herbster & Warmuth 1998).
//
//     v(k)  = w(k) exp(-eta l(k)) / Z
//     expert k gives away (1 - (1-rho)^l(k)) v(k), split evenly among the K-1 others

class VariableShare final : public Learner {
 public:
  VariableShare(std::size_t experts, double eta, double rho);

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  double eta_, rho_;
  std::vector<long double> log_weights_;  // [K]
};

// Restart at a mixture of past posteriors (Bousquet & Warmuth 2002), with the whole history kept.
//
// v_0 is uniform, v_s the posterior after round s before the restart. After round t
//
//     E_tau = sum_{s<t} c_s v_s / sum_{s<t} c_s      c_s = (1 - 1/(tau+1))^(t-1-s)
//     q_t   = (1 - eps) mean over tau in {1,2,4,...,4096} of E_tau + eps/K,   eps = 0.01

class PastPosteriors final : public Learner {
 public:
  PastPosteriors(std::size_t experts, double eta, double rho);

  std::vector<double> weights() const override { return share_.weights(); }
  void learn(const FinishedRound& round) override;

 private:
  std::vector<double> restart_distribution() const;

  LogShare share_;
  double eta_, rho_;
  std::vector<std::vector<double>> posteriors_;  // v_0, v_1, ...; each [K]
};

// Learn-alpha (Monteleoni & Jaakkola 2003): a Bayesian mixture of Fixed Share filters over
// eta in {0.5,1,2,...,256} x rho in {0,3e-4,1e-3,3e-3,1e-2,3e-2,0.1}.
//
// Evidence of a member with weights w for a round:
//
//     e = sum_k w(k) exp(-eta l(k)) / ( mean over awake j of exp(-eta l(j)) )
//
// The members' posterior is multiplied by e and normalised; played is sum_i p_i w_i.

class LearnAlpha final : public Learner {
 public:
  explicit LearnAlpha(std::size_t experts);

  std::vector<double> weights() const override;
  void learn(const FinishedRound& round) override;

 private:
  struct Member {
    LogShare share;
    double eta, rho;
  };
  std::vector<Member> members_;
  std::vector<long double> log_posterior_;  // one per member
};

}  // namespace pcgs::reference
