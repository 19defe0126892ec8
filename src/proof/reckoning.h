// What a certificate says about one run, computed again from the rounds of its trace.
//
// Written from docs/certificates.md with plain loops over a stream of rounds; nothing here is shared
// with the code that writes certificates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "pcgs/trace.h"
#include "proof/certificate_file.h"
#include "proof/verify.h"

namespace pcgs::verify {

// Numbers that know how far a computation in double precision may be from them.
//
// Every operation adds to the bound what rounding may have done to its result (running error
// analysis: Higham, Accuracy and Stability of Numerical Algorithms, 3.3). Two computations of the same
// number, ours and the one that is checked, are then apart by at most both bounds.

// Twice the rounding error of one operation: for somebody else's order of summation, and for
// logarithms and exponentials that are not quite the nearest.
inline constexpr double kRounding = std::numeric_limits<double>::epsilon();

struct Bounded {
  double value = 0;
  double error = 0;  // at least 0

  // A number whose error is at most `error`, rounded once.
  static Bounded rounded(double value, double error) {
    return {value, error + kRounding * std::abs(value)};
  }
};

inline Bounded operator+(Bounded a, Bounded b) {
  return Bounded::rounded(a.value + b.value, a.error + b.error);
}
inline Bounded operator-(Bounded a, Bounded b) {
  return Bounded::rounded(a.value - b.value, a.error + b.error);
}
inline Bounded operator*(double exact, Bounded b) {
  return Bounded::rounded(exact * b.value, std::abs(exact) * b.error);
}
inline Bounded& operator+=(Bounded& a, Bounded b) { return a = a + b; }

// By something that is not near 0.
inline Bounded operator/(Bounded a, Bounded b) {
  const double quotient = a.value / b.value;
  const double surely = std::abs(b.value) - b.error;
  return Bounded::rounded(quotient, (a.error + std::abs(quotient) * b.error) / surely);
}

// |sqrt(x) - sqrt(y)| is at most |x - y| / sqrt(x), and at most sqrt(|x - y|).
inline Bounded sqrt(Bounded a) {
  const double root = std::sqrt(std::max(0.0, a.value));
  return Bounded::rounded(root, std::min(a.error / root, std::sqrt(a.error)));
}

// Whether somebody's computation of the same number may have given `claimed`.
inline bool agrees(double claimed, Bounded ours) {
  return std::abs(claimed - ours.value) <= 4 * (ours.error + kRounding * std::abs(ours.value));
}

// Replays one run of the share recursion from its trace, in logarithms, with plain loops.
//
// Believed are the losses and the controls of each row. What follows from them is computed again, and
// the row must say the same: the weights that were played, the mixture loss, the mix loss, the gap.
// How far a row may be off is what rounding can have done since the first round, expert by expert; a
// trace in which rounding explains more than a part in ten thousand is refused.
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
  // `played` is what the weights that were played lost.
  Paid next(const TraceRow& row, Bounded played);

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
  std::vector<double> updated_, updated_drift_;  // while a round is learned
};

class Reckoning {
 public:
  // What is claimed, and the names of the experts in the order of the trace. Both must outlive this.
  // Throws Error, as half a sentence, if the path of the claim is none.
  Reckoning(const results::CertificateFile::Method& claimed, std::span<const std::string> experts,
            bool squared);

  // The rounds, in the order in which they were learned.
  void next(const TraceRow& row, Bounded played);

  // After the last round: throws Error, as half a sentence ("best_path/bound is ..."), unless every
  // field of the claim is what the rounds give.
  void check() const;
  // After check(): what the bound against the best path is made of.
  BoundParts made_of() const;

 private:
  // The losses of a sequence of experts, and what it costs to describe.
  struct Path {
    Bounded loss, weighted_loss, code;
  };
  // Of all paths with at most as many switches, for each expert that they may end at.
  struct Cheapest {
    std::vector<double> oracle, penalised;  // [K] lowest loss; lowest weighted loss and code
  };

  void add_parts(std::size_t from, std::size_t to);
  void walk(Path& path, const TraceRow& row, std::size_t from, std::size_t to) const;
  void sweep(const TraceRow& row);
  double step_cost(std::size_t from, std::size_t to) const;
  void check_forecasts() const;
  void check_switching() const;
  void check_claim(const std::string& at, const results::CertificateFile::Claim& claim,
                   const Path& path) const;
  double least(std::vector<double> Cheapest::*of, std::size_t switches) const;
  Bounded in_sum(double value) const;

  const results::CertificateFile::Method& claimed_;
  std::span<const std::string> names_;
  bool squared_;
  Replay replay_;
  std::vector<std::pair<std::size_t, std::size_t>> stretches_;  // first round (from 0), expert
  std::size_t stretch_ = 0;

  std::size_t rounds_ = 0, forecasts_ = 0;
  double first_eta_ = 0, rho_ = 0;  // rho and q: of the round before
  std::vector<double> q_;
  bool same_eta_ = true;
  Bounded total_paid_, weighted_paid_, realised_gaps_, worst_gaps_;
  Bounded total_rate_, weighted_combined_, combined_gaps_;
  Path path_;
  BoundParts parts_;  // of the code of path_, so far
  double cross_entropy_ = 0;
  double aligned_stays_ = 0;  // what Theorem 2 charges for them; infinite where it does not apply
  std::vector<Path> stays_;   // [K] with one expert all the time
  std::vector<double> any_;   // [K] as Cheapest::penalised, with any number of switches
  std::vector<Cheapest> fewer_;  // [S + 1] with at most s switches; none if no budget is claimed
  std::size_t most_switches_ = 0;
};

}  // namespace pcgs::verify
