// Share recursions over the experts of one series, which learn from their scores: one that follows whoever is
// good at present, and four that prove what was published without deciding anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pcgs/share.h"
#include "pcgs/state.h"
#include "proof/live_certificates.h"

namespace pcgs::levels {

// Weights of experts that come, go and are missing: the share recursion at a constant rate.
//
// A newcomer gets 1/(K+1), taken from all in proportion; what a leaver had returns in proportion
// (Mourtada and Maillard 2017, arXiv 1706.09376). A missing expert is charged what the learner paid.
class ExpertWeights {
 public:
  ExpertWeights(double eta, double rho) : eta_(eta), rho_(rho) {}

  std::size_t experts() const { return share_ ? share_->experts() : 0; }
  std::span<const double> weights() const {
    return share_ ? share_->weights() : std::span<const double>();
  }

  // [K] over those that are awake, at least one.
  void weights_of(std::span<const std::uint8_t> awake, std::span<double> out) const;

  // Finite losses of all experts. What the recursion did is valid until the next round.
  const ShareStep& learn(std::span<const double> losses);

  void add();
  void remove(std::size_t expert);

  void save(StateWriter& out) const;
  // With so many experts.
  void load(StateReader& in, std::size_t experts);

 private:
  double eta_, rho_;
  std::optional<Share> share_;  // none while there is nobody
};

// A middling one: the lower median, or the mean where that is 0. 0 where all are 0, which says nothing.
double unit_of(std::span<const double> scores, std::vector<double>& scratch);

// The certificate about the published scores of a series, from recursions at four rates.
class ProvedScores {
 public:
  explicit ProvedScores(std::size_t experts);

  // One more outcome: the scores of the experts [K], NaN for those that were missing, of what was
  // combined, which stands for these, and of what was published.
  void learn(std::span<const double> experts, double combined, double published);

  std::uint64_t rounds() const { return certificate_.rounds(); }
  ForecastClaim against_path() const { return certificate_.against_path(); }
  ForecastClaim against_expert() const { return certificate_.against_expert(); }

  void add_expert();
  void remove_expert(std::size_t expert);
  void save(StateWriter& out) const;
  void load(StateReader& in, std::size_t experts);

 private:
  std::vector<ExpertWeights> filters_;  // [rates]
  ScoreCertificate certificate_;
  std::vector<double> scores_, seen_, scratch_;
};

}  // namespace pcgs::levels
