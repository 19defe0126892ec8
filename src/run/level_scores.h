// How good distributions were: the combination, the experts, and what anybody could have published
// without learning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "combine/quantile_levels.h"
#include "pcgs/quantiles.h"
#include "run/level_problem.h"
#include "run/loss_ratio.h"

namespace pcgs::compare {

// Sums over rounds with a forecast and an outcome.
struct LevelSums {
  std::size_t rounds = 0;
  double score = 0;
  levels::ScoreParts parts{};       // where levels are symmetric
  std::vector<std::size_t> held{};  // outcomes inside each of central_intervals()
  void add(const levels::Levels& levels, std::span<const double> quantiles, double outcome);
  double mean() const { return score / static_cast<double>(rounds); }
};

// What combinations that learn nothing are called.
inline constexpr const char* kLinearPool = "equal-weight linear pool";
inline constexpr const char* kQuantileMean = "equal-weight quantile mean";
inline constexpr const char* kQuantileMedian = "median of quantiles";

struct LevelError {
  enum class Kind : std::uint8_t { kMethod, kReference, kExpert };
  std::string name;
  Kind kind = Kind::kExpert;
  LevelSums own;       // on its own rounds
  LevelSums combined;  // of the combination on the same rounds
  // Infinite for one that was never wrong, if the combination was.
  double ratio() const { return combined.score == own.score ? 1 : combined.score / own.score; }
};

struct LevelScores {
  // The combination first, then references, then experts from the best on.
  std::vector<LevelError> all;
  // The expert with the highest score relative to the combination's on the same rounds, of those that
  // are there at least half of the time; in `all`.
  std::optional<std::size_t> best_expert;
  // The combination beside it and beside the linear pool with equal weights, by times: the rounds of
  // one time are not independent of each other, so that each time counts once.
  std::optional<stats::LossRatio> beside_best, beside_pool;
  // [P + 1] outcomes below the first quantile, between each two, and above the last.
  std::vector<std::size_t> between;
};

// Over all rounds, or over some of them.
LevelScores level_scores(const LevelProblem& problem, const Matrix& published, QuantileScale scale);
LevelScores level_scores(const LevelProblem& problem, const Matrix& published, QuantileScale scale,
                         std::span<const std::size_t> rounds);

}  // namespace pcgs::compare
