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
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pcgs/certificates.h"
#include "pcgs/share.h"
#include "pcgs/state.h"

namespace pcgs::levels {

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
  void change(const ExpertChange& change);

  std::size_t recursions_;
  std::vector<double> even_;                   // [K] 1/K: where the recursions start and restart to
  std::optional<ForecastCertificate> proved_;  // none while there is nobody
};

}  // namespace pcgs::levels
