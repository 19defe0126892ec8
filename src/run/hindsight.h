// What is known about a run once it is over: its losses, the best path of experts, and what that
// path and shorter ones had lost on the way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pcgs/matrix.h"
#include "pcgs/outcome.h"

namespace pcgs::compare {

// What every method learns from in the rounds of a problem. Those in which everybody sleeps, or whose
// outcome is not known, are left out of the matrices.
struct LearnedLosses {
  Matrix scaled;  // in [0,1]; +infinity for sleepers
  // [T] what the losses of a round were divided by: NaN for those that are left out, 1 where they are
  // losses in [0,1] as they are.
  std::vector<double> scales;
  // Before anything was divided or capped, in their own units; empty where they came in [0,1].
  Matrix unclipped;
};
LearnedLosses learned_losses(const Problem& problem);

// In which of `stretches` equal parts of `rounds` the i-th falls; the last one if it is beyond.
// Requires a round.
std::size_t stretch_of(std::size_t i, std::size_t rounds, std::size_t stretches);

class Hindsight {
 public:
  // [T x K] losses in [0,1], +infinity for sleepers. `stretches` is how many equal parts of time
  // the oracle is wanted at the end of; with 0 there is no path either, only the oracle of all
  // rounds.
  Hindsight(Matrix losses, std::size_t switches, std::size_t stretches);

  const Matrix& losses() const { return losses_; }
  std::size_t rounds() const { return losses_.rows; }
  std::size_t experts() const { return losses_.columns; }
  std::size_t switches() const { return switches_; }
  std::size_t stretches() const { return stretches_; }
  // L_sw(s) of all rounds, for any s up to switches().
  double oracle(std::size_t s) const { return frontiers_.back()[std::min(s, budget_)]; }
  std::vector<double> expert_losses() const;  // [K] total; infinite for who slept

  bool has_path() const { return !path_.empty(); }
  std::uint32_t path(std::size_t t) const { return path_[t]; }
  double path_loss(std::size_t t) const { return losses_.row(t)[path_[t]]; }

  bool ends_stretch(std::size_t t) const;
  // L_sw(0), ..., L_sw(budget) of the rounds up to the last one of a stretch; empty for those that
  // it is not kept for, so that a large budget costs no more memory than a small one.
  const std::vector<double>& frontier(std::size_t stretch) const { return frontiers_[stretch]; }
  // The switches that can make a difference: fewer than there are rounds.
  std::size_t budget() const { return budget_; }

 private:
  Matrix losses_;
  std::size_t switches_, budget_, stretches_;
  std::vector<std::uint32_t> path_;
  std::vector<std::vector<double>> frontiers_;  // [stretches, or 1], the last is never empty
};

}  // namespace pcgs::compare
