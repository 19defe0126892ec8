// A panel of quantile forecasts, played in the order of time.
#pragma once

#include <functional>
#include <vector>

#include "pcgs/outcome.h"
#include "pcgs/quantiles.h"
#include "run/saved_state.h"

namespace pcgs::compare {

using LevelProblem = pcgs::QuantileProblem;

struct LevelPlay {
  Matrix published;  // [rounds x P]; NaN where nobody gave anything
  LevelNote note;    // after it
  std::size_t skipped = 0;
};

// Plays the rounds on the panel. Before those of a time are opened, all are learned whose outcome is
// known before that time. Series and experts join with their first round. Rounds whose outcome is not
// known at the last time stay open.
//
// With the note of a state that is resumed, rounds up to its last time are left out of the
// problem, but for the outcomes of those that the panel has open.
LevelPlay play_levels(LevelProblem& problem, QuantilePanel& panel,
                      const LevelNote* before = nullptr,
                      const std::function<void(std::size_t rounds)>& advance = {});

// Throws Error, naming the row, for a quantile or an outcome that has no ln(1 + x).
void check_log1p(const QuantileProblem& problem);

// What the panel calls a series.
std::string series_name(const std::vector<std::string>& key);

// [K x P] what the experts of a round gave, NaN where they gave nothing.
void forecasts_of(const LevelProblem& problem, const LevelProblem::Round& round,
                  std::vector<double>& out);

}  // namespace pcgs::compare
