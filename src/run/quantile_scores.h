// How good distributions were: the combination, the experts, and what anybody could have published
// without learning; over all rounds, by series, and by the values that series share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "combine/quantile_levels.h"
#include "pcgs/quantiles.h"
#include "run/quantile_play.h"
#include "run/statistics.h"

namespace pcgs::compare {

// ---- Central intervals: that between the quantiles 0.1 and 0.9 should hold 0.8 of the outcomes ----

// How much each pair (i, P - 1 - i) should hold, the widest first; none unless levels are symmetric.
std::vector<double> central_intervals(const levels::Levels& levels);

// Which of these intervals to show where there is no room for all: those nearest to 0.5, 0.8 and 0.95,
// each once, in this order.
std::vector<std::size_t> usual_intervals(std::span<const double> intervals);

// ---- Rounds that are scored together ------------------------------------------------------------

// [S] the rounds of each series, in their order.
std::vector<std::vector<std::size_t>> rounds_by_series(const LevelProblem& problem);

// Of all series that share a value of one of their columns, such as a horizon.
struct ValueRounds {
  std::size_t column = 0;  // of `by`
  std::string value;
  std::vector<std::size_t> rounds;  // at least one, in their order
};

// Columns in their order; within one, numbers by their size and then other texts. Empty unless there
// are several columns: the values of a single one are the series.
std::vector<ValueRounds> rounds_by_value(const LevelProblem& problem);

// ---- Scores -------------------------------------------------------------------------------------

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
