// Weights of experts that come, go and sleep: the share recursion at a constant rate.
//
// A newcomer gets 1/(K+1), taken from all in proportion; what a leaver had returns in proportion
// (Mourtada and Maillard 2017, arXiv 1706.09376). Whoever sleeps is charged what the learner paid.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs::levels {

class ExpertWeights {
 public:
  ExpertWeights(double eta, double rho) : eta_(eta), rho_(rho) {}

  std::size_t experts() const { return share_ ? share_->experts() : 0; }
  std::span<const double> weights() const {
    return share_ ? share_->weights() : std::span<const double>();
  }

  // Finite losses of all experts; both rates count `part` of what they are. What the recursion did is
  // valid until the next round.
  const ShareStep& learn(std::span<const double> losses, double part);

  void add();
  void remove(std::size_t expert);

  void save(StateWriter& out) const;
  // With so many experts.
  void load(StateReader& in, std::size_t experts);

 private:
  double eta_, rho_;
  std::optional<Share> share_;  // none while there is nobody
};

}  // namespace pcgs::levels
