// What is proved about the forecasts that a method publishes, in the user's units.
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
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pcgs/live_certificate.h"
#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs {

// "The mean loss of what was published is within certificate.bound of that of the comparator."
// Means are over the rounds learned so far, each with its a_t.
struct ForecastClaim {
  double loss = 0;          // of what was published
  Certificate certificate;  // how much more that is than the comparator's, and what is proved of it
  std::size_t switches = 0;  // of the comparator, if it is a path
  std::size_t expert = 0;    // the comparator, if it is one expert
};

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

  // Where experts come and go the writer's change is that of all N forecasts, of which the first `raw`
  // will be those of raw experts. The path that stays with a newcomer is, before it came, the one that
  // stayed with the best.
  void save(StateWriter& out, std::size_t raw = 0) const;
  void load(StateReader& in);

 private:
  // Of a path: weighted_loss is sum_t a_t l_t, loss is sum_t eta_t c_t.
  struct Comparators {
    std::vector<PathCost> ways;  // the cheapest path that is at each forecast in the coming round
    PathCost best;               // of all paths, after the latest round
  };
  struct Proof {
    Comparators any, raw;         // over all forecasts; over the raw ones
    std::vector<PathCost> stays;  // [K] the path that stays with each raw expert
    PathCost best_stay;           // after the latest round
    std::size_t expert = 0;       // whose path that is
    std::uint64_t rounds = 0;
    double total_eta = 0, total_rate = 0, paid = 0, gaps = 0;
  };
  static void change(Proof& proof, const ExpertChange& all, std::size_t raw);
  ForecastClaim claim(const Proof& proof, const PathCost& path) const;
  template <class Claim>
  ForecastClaim strongest(const Claim& claim) const;

  std::vector<Proof> proofs_;  // [recursions]
};

}  // namespace pcgs
