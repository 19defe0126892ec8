// What is learned from one series, or from all series of a panel (Scope): weights of experts at several rates,
// which of the weight vectors to trust, and which way to make one distribution of several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "combine/quantile_pool.h"
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

  // Finite losses of all experts; both rates count `part` of what they are. What the recursion did is
  // valid until the next round.
  const ShareStep& learn(std::span<const double> losses, double part);

  void add();
  void remove(std::size_t expert);

  void save(StateWriter& out) const;
  // With so many experts.
  void load(StateReader& in, std::size_t experts);

 private:
  double eta_, rho_;
  std::optional<Share> share_;  // none while there is nobody
};

// What a series' operators are measured by: the mean over its rounds of a middling one's score.
//
// In units of the round itself a quiet week, in which sharp tails gain little, would count as much as
// the week of the peak, in which they lose much. So they would look better than they are.
class RunningUnit {
 public:
  // Counts the unit of one more round, above 0. Sums could leave the range of a double.
  void add(double unit) {
    ++rounds_;
    mean_ += (unit - mean_) / static_cast<double>(rounds_);
  }
  double mean() const { return mean_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double mean_ = 0;
  std::uint64_t rounds_ = 0;
};

// Per round, for losses in units of a middling expert's. A tenth needs a season to tell experts apart
// that differ by a few per cent, three follows whoever was good in the last rounds.
inline constexpr std::array kRates = {0.1, 0.3, 1.0, 3.0};
inline constexpr double kRestart = 0.01;
// Which vectors to trust, and which operators: tails show themselves in few rounds, so slowly.
inline constexpr double kVectorRate = 1, kOperatorRate = 0.3;

// Weight vectors: those of all series together, those of the series, equal weights.
inline constexpr std::size_t kVectors = 2 * kRates.size() + 1;

// A middling one: the lower median, or the mean where that is 0. 0 where all are 0, which says nothing.
double unit_of(std::span<const double> scores, std::vector<double>& scratch);

class Scope {
 public:
  Scope();

  std::span<const double> weights(std::size_t rate) const { return weights_[rate].weights(); }
  std::span<const double> vectors() const { return vectors_.weights(); }
  std::span<const double> operators() const { return operators_.weights(); }

  // Losses of the experts [K], of the vectors and of the operators, where they say anything; all rates
  // count `part`.
  struct Losses {
    std::span<const double> experts, vectors, operators;
  };
  // `proof`, if there is one, sees what became of the weights.
  struct Proof {
    ScoreCertificate& certificate;
    ScoreCertificate::Scores scores;
  };
  void learn(const Losses& losses, double part, const Proof* proof = nullptr);

  void add_expert();
  void remove_expert(std::size_t expert);

  void save(StateWriter& out) const;
  void load(StateReader& in, std::size_t experts);

 private:
  std::vector<ExpertWeights> weights_;  // [kRates]
  Share vectors_{kVectors}, operators_{kOperators, kFirstTrust};
};

}  // namespace pcgs::levels
