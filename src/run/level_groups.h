// Rounds that are scored together: those of one series, and those of all series that share a value of
// a --by column, such as a horizon.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "run/level_problem.h"

namespace pcgs::compare {

// [S] the rounds of each series, in their order.
std::vector<std::vector<std::size_t>> rounds_by_series(const LevelProblem& problem);

struct ValueRounds {
  std::size_t column = 0;  // of `by`
  std::string value;
  std::vector<std::size_t> rounds;  // at least one, in their order
};

// Columns in their order; within one, numbers by their size and then other texts. Empty unless there
// are several columns: the values of a single one are the series.
std::vector<ValueRounds> rounds_by_value(const LevelProblem& problem);

}  // namespace pcgs::compare
