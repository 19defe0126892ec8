// What is learned from one series, or from all series of a panel: weights of experts at several rates,
// which of the weight vectors to trust, and which way to make one distribution of several.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "combine/expert_weights.h"
#include "combine/operators.h"
#include "pcgs/share.h"
#include "pcgs/state.h"
#include "proof/score_certificate.h"

namespace pcgs::levels {

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
// At most so many units, so that a single round decides nothing for good.
inline constexpr double kLargestLoss = 20;
double in_units(double score, double unit);

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
  // As panels of version 1 wrote it, with four other operators: trust in those says nothing about these.
  void load_first_version(StateReader& in, std::size_t experts);

 private:
  void load_weights(StateReader& in, std::size_t experts);

  std::vector<ExpertWeights> weights_;  // [kRates]
  Share vectors_{kVectors}, operators_{kOperators, kFirstTrust};
};

}  // namespace pcgs::levels
