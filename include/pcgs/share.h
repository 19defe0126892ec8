// The share recursion: one multiplicative update and one restart per round.
//
//     v(k)    = w(k) exp(-eta l(k)) / Z        Z = sum_j w(j) exp(-eta l(j))
//     w'(k)   = (1 - rho) v(k) + rho q(k)
//
// The weights are exact whatever eta and however long the run: an expert whose weight leaves the
// range of a double is not lost, it returns when its losses say so (see the representation below).
// Weights lie on the simplex to 1e-12 after any number of rounds. step() does not allocate.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "pcgs/expert_change.h"
#include "pcgs/state.h"

namespace pcgs {

// What a controller chooses after each round.
struct Controls {
  double eta = 1;             // learning rate, > 0 and finite
  double rho = 0;             // restart intensity, in [0,1)
  std::span<const double> q;  // [K] restart distribution on the simplex; empty means uniform
};

// What a step did. `q` is the controller's array: valid until its next decision.
struct ShareStep {
  Controls controls;
  double mix_loss = 0;  // m = -ln(Z) / eta
  double gap = 0;       // <w,l> - m, the mixability gap, in [0, eta/8]
};

class Share {
 public:
  // Starts uniform, or at `initial` (on the simplex; zeros allowed).
  explicit Share(std::size_t experts, std::span<const double> initial = {});

  std::size_t experts() const { return experts_; }
  std::span<const double> weights() const { return weights_.first(experts_); }

  // One round. Requires: losses has K finite entries, in [0,1] for the stated range of the gap.
  const ShareStep& step(std::span<const double> losses, const Controls& controls);

  // The most recent step; before the first, and after load(), a default ShareStep.
  const ShareStep& last() const { return last_; }

  // With the weights that they have when experts have come and gone.
  Share after(const ExpertChange& change) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void add_small_restarts(const Controls& controls);
  double log_weight(std::size_t expert) const;

  // Expert k's weight is mantissa(k) * exp(-debt(k)). While it is a comfortable double (at least
  // 1e-140) it stands in the mantissa and the debt is 0; below that the mantissa stays and the debt
  // keeps count in nats, so that no information is lost to underflow. weights_ holds the mantissa, and
  // 0 where there is a debt.
  //
  // As long as all weights are comfortable (plain_), weights_ alone is the state, debt_ is all zero
  // and mantissa_ is scratch space.
  std::size_t experts_;
  bool plain_ = true;
  struct FreeAligned {
    void operator()(double* p) const;
  };
  std::unique_ptr<double[], FreeAligned> arrays_;  // the three below, each padded for the kernels
  std::span<double> mantissa_, debt_, weights_;    // [padded K]
  ShareStep last_;
};

}  // namespace pcgs
