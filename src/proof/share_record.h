// A run of the share recursion as it was traced, replayed: what certificates after the fact are made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/matrix.h"
#include "pcgs/share.h"
#include "pcgs/trace.h"

namespace pcgs {

// One run, replayed: only the first weights, the losses and the controls are believed, and what
// follows from them (weights, mix losses, gaps) is computed again.
//
// The losses of a round may have come late, after other rounds were learned. Then what was paid is
// not <w_t,l_t>, and every bound below contains what lateness cost, sum_t eta_t (paid_t -
// <w_t,l_t>), which is 0 where no round is late.
class ShareRecord {
 public:
  // Starts uniform, or at `initial` (on the simplex; zeros allowed).
  explicit ShareRecord(std::size_t experts, std::span<const double> initial = {});
  // Every round of a trace, checked as add(TraceRow) does. Throws Error if there are none.
  static ShareRecord of(const Trace& trace, std::span<const double> initial = {});

  // A round that was played on time. Throws Error on losses or controls out of range.
  void add(std::span<const double> losses, const Controls& controls);
  // A round as it was traced. Throws Error, naming the round, unless it is of the share form, not a
  // repetition, and every number in it is what the recursion gives up to rounding: the weights
  // those after the previous round (or, where the losses came late, an earlier one), renormalised
  // over the awake; the mixture loss theirs; mix loss and gap as replayed. learner_loss is beyond
  // the recursion and not checked. After an Error the record is of no more use.
  void add(const TraceRow& row);

  std::size_t rounds() const { return rounds_.size(); }
  std::size_t experts() const { return share_.experts(); }
  std::span<const double> initial() const { return {weights_.data(), experts()}; }
  MatrixView losses() const { return {losses_.data(), rounds(), experts()}; }
  // The controls after round t (from 0); q is empty where it is uniform.
  Controls controls(std::size_t t) const;
  // [K] the weights the recursion had when the losses of round t came.
  std::span<const double> weights(std::size_t t) const;
  double paid(std::size_t t) const { return rounds_[t].paid; }
  double gap(std::size_t t) const { return rounds_[t].gap; }
  std::size_t late_rounds() const { return late_rounds_; }

  // eta if it never changed (and there is a round), otherwise 0.
  double constant_eta() const { return constant_eta_; }
  double total_eta() const { return total_eta_; }          // sum_t eta_t
  double total_paid() const { return total_paid_; }        // sum_t paid_t
  double weighted_paid() const { return weighted_paid_; }  // sum_t eta_t paid_t
  double realised_gaps() const { return realised_gaps_; }  // sum_t eta_t (d_t + paid_t - <w_t,l_t>)
  double worst_gaps() const { return worst_gaps_; }        // the same with d_t = eta_t / 8

  bool has_forecasts() const { return forecasts_ > 0 && forecasts_ == rounds(); }  // in each round
  // Of combined forecasts, F_t in units of the losses; mixture losses where there are none.
  double total_rate() const { return total_rate_; }                // sum_t eta_t / C_t
  double weighted_combined() const { return weighted_combined_; }  // sum_t eta_t F_t
  double combined_gaps() const { return combined_gaps_; }          // sum_t eta_t (F_t - m_t)

 private:
  struct Round {
    double eta, rho, paid, gap;
    std::size_t q;  // where its q begins in q_, or kUniform
  };
  static constexpr std::size_t kUniform = ~std::size_t{0};

  // What is wrong with a round, as half a sentence; empty if nothing is.
  std::string objection_to(std::span<const double> losses, const Controls& controls) const;
  double tolerance() const;  // of a weight in a trace, relatively
  bool could_have_played(const TraceRow& row, std::span<const double> weights) const;
  void learn(std::span<const double> losses, const Controls& controls,
             const LiveCertificate::Paid& paid);

  Share share_;
  std::vector<double> weights_;  // [(T + 1) x K]
  std::vector<double> losses_;   // [T x K]
  std::vector<double> q_;        // rows of K
  std::vector<Round> rounds_;
  std::unordered_set<std::int64_t> numbers_;  // of traced rounds
  std::size_t late_rounds_ = 0, forecasts_ = 0;
  double constant_eta_ = 0, total_eta_ = 0, total_paid_ = 0, weighted_paid_ = 0;
  double realised_gaps_ = 0, worst_gaps_ = 0;
  double total_rate_ = 0, weighted_combined_ = 0, combined_gaps_ = 0;
  double drift_ = 0;  // how far rounding may have moved a weight, relatively, in units of epsilon
};

}  // namespace pcgs
