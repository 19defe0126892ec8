// Replays one run of the share recursion from its trace, in logarithms, with plain loops.
//
// Believed are the losses and the controls of each row. What follows from them is computed again, and
// the row must say the same: the weights that were played, the mixture loss, the mix loss, the gap.
// How far a row may be off is what rounding can have done since the first round, expert by expert; a
// trace in which rounding explains more than a part in ten thousand is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "pcgs/trace.h"
#include "proof/bounded.h"

namespace pcgs::verify {

class Replay {
 public:
  explicit Replay(std::size_t experts);

  // What a round paid and what it was charged, in units of its losses.
  struct Paid {
    double eta = 0;
    Bounded mixture;  // what was paid
    Bounded on_time;  // <w_t,l_t>; differs from it where the losses came late
    Bounded mix;      // m_t = -ln(Z_t) / eta_t
    Bounded gap;      // <w_t,l_t> - m_t
  };
  // Throws Error, as half a sentence about the row ("has ..."), if it is not what the recursion gives.
  Paid next(const TraceRow& row);

  std::size_t rounds() const { return history_.size() / log_weights_.size() - 1; }

 private:
  bool could_have_played(const TraceRow& row, std::span<const double> log_weights) const;
  void check_ranges(const TraceRow& row) const;
  double mean_drift() const;

  std::vector<double> log_weights_;  // ln w_t(k)
  // By how much the logarithm of an unnormalised weight may be off. Normalising takes the same off
  // every weight, so that it needs no term of its own.
  std::vector<double> drift_;
  std::vector<double> history_;  // [(t + 1) x K] of log_weights_, for losses that came late
  std::unordered_set<std::int64_t> numbers_;
  std::vector<double> updated_, updated_drift_;  // while a round is learned
};

}  // namespace pcgs::verify
