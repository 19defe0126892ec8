// What the share recursion has proved about its own run so far, one round at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs {

// "regret <= bound". In exact arithmetic it always holds; computed, regret and bound may differ
// from their exact values by at most `rounding` together. In units of the weighted regret it is
//
//     2 epsilon T (K + 16 + sum_t eta_t + code)
//
// (with sum_t eta_t F_t in place of sum_t eta_t, where it is larger, for combined forecasts)
// for a sum of T numbers is off by at most epsilon T / 2 times their total, and one round of the
// recursion moves a weight by at most (K + 16 + eta_t) epsilon, relatively.
struct Certificate {
  double regret = 0;
  double bound = 0;
  double rounding = 0;
  bool holds() const { return regret <= bound + rounding; }
};

struct PathCost {
  double loss = 0;           // sum_t l_t(p_t)
  double weighted_loss = 0;  // sum_t eta_t l_t(p_t)
  double code = 0;           // code(p)
  std::size_t switches = 0;  // how often p_t != p_{t+1}
  double penalised() const { return weighted_loss + code; }
};

// The certificate of best_path() while the run goes on: O(K) a round, O(K) memory, no horizon. It
// speaks about the rounds learned so far, in the order in which they were learned; late losses and
// sleepers are no exception. observe() does not allocate.
class LiveCertificate {
 public:
  explicit LiveCertificate(std::size_t experts, std::span<const double> initial = {});

  // What was paid for a round, in units of the losses that the recursion was given.
  struct Paid {
    double mixture = 0;   // <played weights, losses>
    double combined = 0;  // F, the loss of the combined forecast; the mixture loss without one
    double scale = 1;     // C: raw losses for each unit
  };
  // What a Share was given and did, and what was paid. Requires: finite losses >= 0, a sleeper's
  // the mixture loss; step.controls.q still valid.
  void observe(std::span<const double> losses, const ShareStep& step, const Paid& paid);

  std::uint64_t rounds() const { return rounds_; }
  // Of the best path so far, which may be another one each round.
  const PathCost& best() const { return best_; }
  // "What I paid is within `bound` of what that path paid", weighted by eta.
  Certificate weighted() const;
  // The same in units of loss; throws Error if eta changed.
  Certificate certificate() const;
  // eta if it never changed (and there was a round), otherwise 0.
  double constant_eta() const { return constant_eta_; }

  // The loss of the combined forecast itself, in the user's units, as a mean over the rounds in
  // which round t counts with its rate a_t = eta_t / C_t (all alike if that never changed):
  //
  //     sum_t a_t (C_t F_t - C_t l_t(p_t)) / sum_t a_t
  //         <= [ code(p) + sum_t eta_t (F_t - m_t) ] / sum_t a_t
  //
  // The same identity as above with F_t in the place of the mixture loss. F_t - m_t may be
  // negative: a combination can be better than every expert in it. F_t is never capped; l_t is,
  // which can only make the left side larger. Zero without a round.
  Certificate combined() const;
  // eta_t / C_t if it never changed, otherwise 0.
  double constant_rate() const { return constant_rate_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::vector<PathCost> ways_;  // [K] the cheapest path that is at expert k in the coming round
  PathCost best_;
  std::uint64_t rounds_ = 0;
  double constant_eta_ = 0, total_eta_ = 0, weighted_paid_ = 0, realised_gaps_ = 0;
  double constant_rate_ = 0, total_rate_ = 0, weighted_combined_ = 0, combined_gaps_ = 0;
};

}  // namespace pcgs
