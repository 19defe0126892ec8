// Forecasts that are distributions: a panel of them, played in the order of time, and how good they were;
// over all rounds, by series, and by the values that series share.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "combine/quantile_levels.h"
#include "pcgs/outcome.h"
#include "pcgs/quantiles.h"
#include "run/resume.h"

namespace pcgs::compare {

// ---- Playing ------------------------------------------------------------------------------------

struct QuantilePlay {
  Matrix published;  // [rounds x P]; NaN where nobody gave anything
  RunNote note;      // after it
  std::size_t skipped = 0;
};

// Plays the rounds on the panel. Before those of a time are opened, all are learned whose outcome is
// known before that time. Series and experts join with their first round. Rounds whose outcome is not
// known at the last time stay open.
//
// With the note of a state that is resumed, rounds up to its last time are left out of the
// problem, but for the outcomes of those that the panel has open.
QuantilePlay play_quantiles(QuantileProblem& problem, QuantilePanel& panel,
                            const RunNote* before = nullptr,
                            const std::function<void(std::size_t rounds)>& advance = {});

// Throws Error, naming the row, for a quantile or an outcome that has no ln(1 + x).
void check_log1p(const QuantileProblem& problem);

// What the panel calls a series.
std::string series_name(const std::vector<std::string>& key);

// ---- Rounds that are judged together ------------------------------------------------------------

// [S] the rounds of each series, in their order.
std::vector<std::vector<std::size_t>> rounds_by_series(const QuantileProblem& problem);

// Of all series that share a value of one of their columns, such as a horizon.
struct ValueRounds {
  std::size_t column = 0;  // of `by`
  std::string value;
  std::vector<std::size_t> rounds;  // at least one, in their order
};

// Columns in their order; within one, numbers by their size and then other texts. Empty unless there
// are several columns: the values of a single one are the series.
std::vector<ValueRounds> rounds_by_value(const QuantileProblem& problem);

// ---- Errors -------------------------------------------------------------------------------------

// What combinations that learn nothing are called.
inline constexpr const char* kLinearPool = "equal-weight linear pool";
inline constexpr const char* kQuantileMean = "equal-weight quantile mean";
inline constexpr const char* kQuantileMedian = "median of quantiles";

// In some of the rounds, of what was published, on the scale that is scored on.
Errors errors_of(const QuantileProblem& problem, const Matrix& published, QuantileScale scale,
                 std::span<const std::size_t> rounds);

// Central intervals: that between the quantiles 0.1 and 0.9 should hold 0.8 of the outcomes. How much each
// pair (i, P - 1 - i) should hold, the widest first; none unless levels are symmetric.
std::vector<double> central_intervals(const levels::Levels& levels);

// Which of these intervals to show where there is no room for all: those nearest to 0.5, 0.8 and 0.95,
// each once, in this order.
std::vector<std::size_t> usual_intervals(std::span<const double> intervals);

}  // namespace pcgs::compare
