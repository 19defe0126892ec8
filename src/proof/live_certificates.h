// What paths of experts pay while a run goes on, and what is proved about the scores of a series.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/expert_change.h"
#include "pcgs/share.h"
#include "pcgs/state.h"

// What a path pays for a round and for the step to the next one.
namespace pcgs::certify {

// -ln A(i -> i) with A = (1 - rho) + rho q(i). Never below 0, though q may be rounded above 1.
inline double stay_cost(double rho, double q) {
  const double leaving = std::max(0.0, rho * (1 - q));
  // log() takes a third of the time of log1p(), and keeps 13 digits of what is not small.
  return leaving > 1e-3 ? -std::log(1 - leaving) : -std::log1p(-leaving);
}

// -ln A(i -> j) with A = rho q(j), i != j; infinite for rho or q = 0. Never below stay_cost(rho,
// q).
inline double switch_cost(double rho, double q) {
  return std::max(stay_cost(rho, q), -std::log(rho) - std::log(q));
}

// -ln w_1(k); w_1 empty means uniform.
inline double start_cost(std::span<const double> initial, std::size_t experts, std::size_t k) {
  return initial.empty() ? std::log(static_cast<double>(experts))
                         : std::max(0.0, -std::log(initial[k]));
}

// By how much regret and bound of the weighted form may be off together (see Certificate).
inline double rounding_of(std::size_t rounds, std::size_t experts, double total_eta, double code) {
  return 2 * std::numeric_limits<double>::epsilon() * static_cast<double>(rounds) *
         (static_cast<double>(experts) + 16 + total_eta + code);
}

// One round of min_p [ sum eta l(p) + code(p) ] over the paths to each expert: charges them all and
// returns the expert of the cheapest, the lowest among equals.
inline std::size_t charge(std::span<PathCost> ways, std::span<const double> losses, double eta) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < ways.size(); ++k) {
    ways[k].loss += losses[k];
    ways[k].weighted_loss += eta * losses[k];
    const double penalised = ways[k].penalised();
    if (penalised < least) {
      least = penalised;
      best = k;
    }
  }
  return best;
}

// The step to the next round. The cheapest way to come to k by a switch is from the cheapest of
// all, even if that is k itself and no switch: for then staying, which never costs more, wins. So
// the second best need not be known. Calls switched(k) where a switch is strictly cheaper.
template <class Switched>
void move_on(std::span<PathCost> ways, std::size_t best, const Controls& controls,
             const Switched& switched) {
  const auto& [eta, rho, q] = controls;
  if (rho == 0) return;  // staying is free, switching impossible
  const PathCost from = ways[best];
  const double least = from.penalised();
  const auto change_to = [&](std::size_t k, double price) {
    ways[k] = from;
    ways[k].code += price;
    ++ways[k].switches;
    switched(k);
  };
  if (q.empty()) {
    const double uniform = 1.0 / static_cast<double>(ways.size());
    const double stay = stay_cost(rho, uniform);
    const double change = switch_cost(rho, uniform);
    for (std::size_t k = 0; k < ways.size(); ++k) {
      if (least + change < ways[k].penalised() + stay) {
        change_to(k, change);
      } else {
        ways[k].code += stay;
      }
    }
    return;
  }
  const double minus_log_rho = -std::log(rho);
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const double stay = stay_cost(rho, q[k]);
    // A switch costs at least ln(1/rho) more than staying, whatever q.
    if (ways[k].penalised() > least + minus_log_rho) {
      const double change = std::max(stay, minus_log_rho - std::log(q[k]));
      if (least + change < ways[k].penalised() + stay) {
        change_to(k, change);
        continue;
      }
    }
    ways[k].code += stay;
  }
}

inline const PathCost& cheapest(std::span<const PathCost> ways) {
  return *std::min_element(ways.begin(), ways.end(), [](const PathCost& a, const PathCost& b) {
    return a.penalised() < b.penalised();
  });
}

// The step that experts coming and going are (expert_change.h), for the first `count` of them after
// it; whoever is new is reached from `best`. Paths that are with a leaver end there; that the others'
// weights then grow would make their codes shorter, and is left out. Counts one switch more, though it
// may be the same as that of a step of the recursion before it. Before the first round all ways are
// alike, and a newcomer is reached from all of them together.
inline std::vector<PathCost> changed(std::span<const PathCost> ways, const PathCost& best,
                                     const ExpertChange& change, std::size_t count,
                                     std::size_t rounds) {
  const double stay = -std::log(change.staying());
  std::vector<PathCost> out;
  for (std::size_t k = 0; k < count; ++k) {
    PathCost& way = out.emplace_back(!change.is_new(k) ? ways[change.from(k)]
                                     : rounds > 0      ? best
                                                       : PathCost{});
    way.code += change.is_new(k) ? -std::log(change.entry(k)) : stay;
    if (change.is_new(k)) way.switches = std::min(way.switches + 1, rounds);
  }
  return out;
}

}  // namespace pcgs::certify

namespace pcgs::levels {

// What is proved about the scores of the distributions that were published for a series.
//
// The share recursions that weigh the experts of a series learn from scores in units of a middling
// expert's of the round, at most 20. They prove, for every path p over experts that exist,
//
//     sum_t (F_t - l_t(p_t)) <= [ code(p) + sum_t (eta F_t - eta m_t) - excess(p) ] / eta
//
// with F_t and l_t the scores of what was published and of the experts, in these units and not
// capped, and m_t the mix loss. The identity does not ask how the published distribution was made
// (ForecastCertificate). Where it is the linear pool of CRPS on [a,b] and eta is at most
// 1/(2(b-a)), or the substitution and eta is at most 2/(b-a), F_t never exceeds m_t, because CRPS is
// mixable; else what F_t - m_t was is part of the bound.
//
// Experts come and go as in quantile_weights.h, and a missing one has lost what was combined, before
// calibration.
class ScoreCertificate {
 public:
  explicit ScoreCertificate(std::size_t recursions) : recursions_(recursions) {}

  // Scores of a round, in units: those of the experts [K], what the recursions saw of them, and that
  // of what was published. Each recursion once a round.
  struct Scores {
    std::span<const double> experts, seen;
    double published = 0;
  };
  void observe(std::size_t recursion, const Scores& scores, const ShareStep& step);

  std::uint64_t rounds() const { return proved_ ? proved_->rounds() : 0; }
  // Means over those rounds; all zero without one.
  ForecastClaim against_path() const { return proved_ ? proved_->against_path() : ForecastClaim{}; }
  ForecastClaim against_expert() const {
    return proved_ ? proved_->against_expert() : ForecastClaim{};
  }

  void add_expert();
  // Where nobody is left, what was proved ends.
  void remove_expert(std::size_t expert);

  void save(StateWriter& out) const;
  void load(StateReader& in, std::size_t experts);

 private:
  void make(std::size_t experts);
  void change(std::vector<std::size_t> from);

  std::size_t recursions_;
  std::vector<double> even_;                   // [K] 1/K: where the recursions start and restart to
  std::optional<ForecastCertificate> proved_;  // none while there is nobody
};

}  // namespace pcgs::levels
