// Certificates: what a run has proved about itself, one round at a time (Aggregator's option certify), and the
// check of a certificate that pcgs run --certificate wrote. docs/certificates.md has the arguments.
//
// Every bound holds for every sequence of losses and every controller; nothing is assumed about where losses
// come from. A path p names an expert for each round, and has a price, its code length: how unlikely the run's
// own restarts made it.
//
//     code(p)      = -ln w_1(p_1) - sum_{t<T} ln A_t(p_t -> p_{t+1})
//     A_t(i -> j)  = (1 - rho_t) [i = j] + rho_t q_t(j)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

// The share recursion against the path for which its bound is the lowest, while the run goes on: O(K) a round, O(K) memory, no horizon. It
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

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::vector<PathCost> ways_;  // [K] the cheapest path that is at expert k in the coming round
  PathCost best_;
  std::uint64_t rounds_ = 0;
  double constant_eta_ = 0, total_eta_ = 0, weighted_paid_ = 0, realised_gaps_ = 0;
  double total_rate_ = 0, weighted_combined_ = 0, combined_gaps_ = 0;
};

// "The mean loss of what was published is within certificate.bound of that of the comparator."
// Means are over the rounds learned so far, each with its a_t.
struct ForecastClaim {
  double loss = 0;          // of what was published
  Certificate certificate;  // how much more that is than the comparator's, and what is proved of it
  std::size_t switches = 0;  // of the comparator, if it is a path
  std::size_t expert = 0;    // the comparator, if it is one expert
};

// What is proved about the forecasts that a method such as blend publishes, in the user's units.
//
// The method holds share recursions over N forecasts: those of the K raw experts first, then others
// that were made from them. A recursion sees losses divided by a unit C_t and capped far out, c_t(k)
// <= l_t(k) / C_t. It proves, for every path p over the N forecasts,
//
//     sum_t a_t (F_t - l_t(p_t)) <= code(p) + sum_t (a_t F_t - eta_t m_t) - excess(p)
//     a_t = eta_t / C_t            excess(p) = sum_t (a_t l_t(p_t) - eta_t c_t(p_t)) >= 0
//
// with F_t the loss of what was published and m_t the mix loss. That is the identity of
// LiveCertificate::combined(): it does not ask who made the forecast. Every recursion's claim holds,
// so the one that claims most is shown. Nothing is assumed about where losses come from.
//
// O(N) memory and time a round for each recursion; no horizon. observe() does not allocate.
class ForecastCertificate {
 public:
  // `recursions` of them, which all start at `initial` [N]; the first `raw` forecasts are the raw
  // experts'.
  ForecastCertificate(std::size_t raw, std::span<const double> initial, std::size_t recursions);

  // What a round lost: raw losses [N] of the forecasts, and of what was published. Beyond 1e15 units
  // a loss counts as that, or nothing could be said of all later rounds.
  struct Lost {
    std::span<const double> forecasts;
    double published = 0;
  };
  // What a recursion was given in a round, losses divided by `scale` and capped, and what it did; q
  // is not empty. Each recursion once a round.
  void observe(std::size_t recursion, const Lost& lost, std::span<const double> losses,
               double scale, const ShareStep& step);

  std::uint64_t rounds() const { return proofs_.front().rounds; }
  // Against the path with the lowest loss and code together, over all N forecasts and over those of
  // raw experts; and against the raw expert with the lowest loss in hindsight. Paths with no longer a
  // code have no lower a loss, so the claim is about them, too. Where a raw expert had no forecast,
  // its loss is that of what the method put in its place.
  ForecastClaim against_path() const;
  ForecastClaim against_raw_path() const;
  ForecastClaim against_expert() const;

  // Experts come and go: `all` is the change of all N forecasts, of which the first `raw` will be those
  // of raw experts. The path that stays with a newcomer is, before it came, the one that stayed with the
  // best.
  void change(const ExpertChange& all, std::size_t raw);
  // Changed so, if the writer has a change.
  void save(StateWriter& out, std::size_t raw = 0) const;
  void load(StateReader& in);

 private:
  // Of a path: weighted_loss is sum_t a_t l_t, loss is sum_t eta_t c_t.
  struct Comparators {
    std::vector<PathCost> ways;  // the cheapest path that is at each forecast in the coming round
    PathCost best;               // of all paths, after the latest round
  };
  struct Proof {
    Comparators any, raw;    // over all forecasts; over the raw ones
    Comparators stays;       // [K] the paths that stay with a raw expert
    std::size_t expert = 0;  // whose path is the best of those
    std::uint64_t rounds = 0;
    double total_eta = 0, total_rate = 0, paid = 0, gaps = 0;
  };
  ForecastClaim claim(const Proof& proof, const PathCost& path) const;
  template <class Claim>
  ForecastClaim strongest(const Claim& claim) const;

  std::vector<Proof> proofs_;  // [recursions]
};

// Proves a certificate that pcgs run --certificate wrote again, from the trace alone that --trace wrote beside
// it. Throws Error, naming the file and the place, unless everything that can be checked holds; returns what was
// checked and what was not, one sentence a line.
std::string check_certificate(const std::string& trace_path, const std::string& certificate_path);

}  // namespace pcgs
