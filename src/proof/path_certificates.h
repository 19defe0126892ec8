// Bounds on the regret of a recorded run to a path of experts. "The paper" is Policy-Controlled Generalized
// Share.
//
// What is bounded is the mixture loss <w_t,l_t>, as it was paid: an expert that slept carries the
// learner's own loss, so that a path through it neither gains nor loses there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/matrix.h"
#include "pcgs/share.h"
#include "pcgs/trace.h"

namespace pcgs {

// A run of the share recursion, replayed from its first weights, its losses and its controls: weights, mix
// losses and gaps are computed again. That every number of a trace is what they give is for the checker
// to see (verify.h).
//
// The losses of a round may have come late, after other rounds were learned. Then what was paid is
// not <w_t,l_t>, and every bound below contains what lateness cost, sum_t eta_t (paid_t -
// <w_t,l_t>), which is 0 where no round is late.
class ShareRecord {
 public:
  // Starts uniform, or at `initial` (on the simplex; zeros allowed).
  explicit ShareRecord(std::size_t experts, std::span<const double> initial = {});
  // Every round of a trace, checked as add(TraceRow) does. Throws Error if there are none.
  static ShareRecord of(std::span<const Trace::Row> trace, std::span<const double> initial = {});

  // A round that was played on time. Throws Error on losses or controls out of range.
  void add(std::span<const double> losses, const Controls& controls);
  // A round as it was traced. Throws Error, naming the round, unless it is of the share form, its losses and
  // controls are in range, and its mix loss is what the recursion gives up to rounding. After an Error the
  // record is of no more use.
  void add(const TraceRow& row);

  std::size_t rounds() const { return rounds_.size(); }
  std::size_t experts() const { return share_.experts(); }
  std::span<const double> initial() const { return initial_; }
  // [K] of the recursion, before the coming round.
  std::span<const double> weights() const { return share_.weights(); }
  MatrixView losses() const { return {losses_.data(), rounds(), experts()}; }
  // The controls after round t (from 0); q is empty where it is uniform.
  Controls controls(std::size_t t) const;

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
    double eta, rho;
    std::size_t q;  // where its q begins in q_, or kUniform
  };
  static constexpr std::size_t kUniform = ~std::size_t{0};

  // What is wrong with a round, as half a sentence; empty if nothing is.
  std::string objection_to(std::span<const double> losses, const Controls& controls) const;
  double tolerance() const;  // of a weight in a trace, relatively
  bool came_in_time(const TraceRow& row) const;
  void learn(std::span<const double> losses, const Controls& controls,
             const LiveCertificate::Paid& paid);

  Share share_;
  std::vector<double> initial_;  // [K]
  std::vector<double> losses_;   // [T x K]
  std::vector<double> q_;        // rows of K
  std::vector<Round> rounds_;
  std::size_t forecasts_ = 0;
  double constant_eta_ = 0, total_eta_ = 0, total_paid_ = 0, weighted_paid_ = 0;
  double realised_gaps_ = 0, worst_gaps_ = 0;
  double total_rate_ = 0, weighted_combined_ = 0, combined_gaps_ = 0;
  double drift_ = 0;  // how far rounding may have moved a weight, relatively, in units of epsilon
};

// code(p); +infinity for a path that the restarts ruled out. A path has T entries below K, or this
// and every function below throws Error.
double code_length(const ShareRecord& record, std::span<const std::uint32_t> path);

// What code(p) is paid for. A step from i to j != i costs -ln rho_t, for a restart there is, and
// -ln q_t(j), for it goes there; the second sum is C_eff of the paper's Lemma 1. A q that trusts the
// present expert makes stays cheaper and switches dearer, so that it must be judged by both: beside
// each stands what the same path would have cost with the same rho and uniform q.
struct CodeParts {
  double start = 0;             // -ln w_1(p_1)
  double stays = 0;             // sum over stays of -ln(1 - rho_t + rho_t q_t(p_t))
  double restarts = 0;          // sum over switches of -ln rho_t
  double where_to = 0;          // sum over switches of -ln q_t(p_{t+1})
  double uniform_stays = 0;     // stays with q = 1/K
  double uniform_where_to = 0;  // (number of switches) ln K
  std::size_t switches = 0;
  double total() const { return start + stays + restarts + where_to; }  // code(p)
};
CodeParts code_parts(const ShareRecord& record, std::span<const std::uint32_t> path);

// Theorem 1 of the paper, every loss weighted by its round's eta:
//     sum_t eta_t (paid_t - l_t(p_t)) <= code(p) + (1/8) sum_t eta_t^2
Certificate weighted_certificate(const ShareRecord& record, std::span<const std::uint32_t> path);

// The same with the mixability gaps d_t that really occurred in place of eta_t / 8; never worse:
//     sum_t eta_t (paid_t - l_t(p_t)) <= code(p) + sum_t eta_t d_t
Certificate sharp_certificate(const ShareRecord& record, std::span<const std::uint32_t> path);

// The loss of the combined forecast in the user's units (see LiveCertificate::combined), against
// any path: a mean over the rounds in which round t counts with its rate eta_t / C_t.
Certificate combined_certificate(const ShareRecord& record, std::span<const std::uint32_t> path);

// The same against the best path, and against the best of the paths that stay with one expert.
// Requires has_forecasts().
struct ForecastClaims {
  ForecastClaim path, expert;
};
ForecastClaims forecast_claims(const ShareRecord& record);

// A weighted certificate in units of loss, where eta was the same in every round: divided by it.
// Throws Error if eta changed, however little: then a bound on the weighted regret says nothing
// about the plain one.
Certificate unweighted(const ShareRecord& record, const Certificate& weighted);

// Theorem 2 of the paper, for constant eta and rho_t = rho_max p_t with rho_max <= 1/2, in terms of
// what a controller is trained on:
//     sum_t (paid_t - l_t(p_t)) <= (1/eta) [ -ln w_1(p_1)
//         + sum over switches (ln(1/rho_max) - ln p_t - ln q_t(p_{t+1}))
//         + 2 rho_max sum over stays -ln(1 - p_t) ] + eta T / 8
// It says most with rho_max = 1/2: what it charges for stays falls as rho_max grows, and what it
// charges for switches does not depend on it.
// Throws Error if eta changed, rho_max is outside (0,1/2] or some rho_t is above it.
Certificate training_aligned_certificate(const ShareRecord& record,
                                         std::span<const std::uint32_t> path, double rho_max);

// Lemma 1 of the paper, on cross-entropy, with q_t(k) >= eps / K for all t < T and k:
//     C_eff(p) = sum over switches -ln q_t(p_{t+1})
//             <= sum_{t<T} -ln q_t(p_{t+1})    and    <= (number of switches) ln(K / eps)
struct CrossEntropy {
  double effective = 0;   // C_eff
  double all_rounds = 0;  // the first bound
  double by_floor = 0;    // the second
};
// Throws Error if eps is outside (0,1] or some q is below eps / K.
CrossEntropy cross_entropy(const ShareRecord& record, std::span<const std::uint32_t> path,
                           double eps);

// The path that minimises sum_t eta_t l_t(p_t) + code(p), the one for which the certificates above
// say most. O(T K) time. Ties: staying, then the lowest index.
struct BestPath {
  PathCost cost;
  std::vector<std::uint32_t> experts;  // [T]
};
BestPath best_path(const ShareRecord& record);

// Dynamic regret against the exact oracle with at most S switches,
//     sum_t paid_t - L_sw(S) <= min_{p in Pi_S} [ L(p) - L_sw(S) + code(p) / eta ] + gaps
// with gaps = sum_t d_t (sharp) or eta T / 8 (plain). Where eta changed everything is weighted: the
// oracle's losses are eta_t l_t, code is not divided, gaps are multiplied by eta_t.
struct SwitchingCertificate {
  double oracle = 0;     // L_sw(S)
  double penalised = 0;  // min_{p in Pi_S} [ sum_t eta_t l_t(p_t) + code(p) ]
  Certificate sharp, plain;
};
// For S = 0, ..., max_switches in one sweep. O(T K S) time, O(K S) memory beside the oracle's.
//
// A caller with another comparator L (an oracle over the awake only, say) has the same certificate:
// the total paid is at most penalised / eta + gaps, whatever is subtracted on both sides.
std::vector<SwitchingCertificate> switching_certificates(const ShareRecord& record,
                                                         std::size_t max_switches);

// The certificate of a method that brings a bound of its own: Method::switching_bound for 0, ..., S
// switches is `bounds`, its total loss `paid`, and `oracle` L_sw(0), ..., L_sw(S) of the same
// rounds.
//     paid - L_sw(S) <= min_{s <= S} [ L_sw(s) + bounds[s] ] - L_sw(S)
// A path with fewer switches may lose more and be proved more about. Requires L_sw(S) finite.
Certificate switching_certificate(std::span<const double> bounds, double paid,
                                  std::span<const double> oracle, std::size_t rounds,
                                  std::size_t experts);

}  // namespace pcgs
