// Quantile forecasts as forecast hubs write them: a row for each expert, time and series, a column
// for each level; the outcomes in the same rows or in a file of their own.
#pragma once

#include <string>
#include <vector>

#include "data/numbers.h"
#include "run/clock.h"
#include "run/level_problem.h"

namespace pcgs::compare {

struct LevelColumns {
  std::string pattern;  // of the columns of quantiles: 'q*', with a level between 0 and 1 for *
  std::string outcome;  // what is forecast
  // Where the outcomes are; empty: in the same rows. Joined on the columns that both files have, whose
  // texts must be the same.
  std::string outcome_file;
  std::string time, expert;     // when a forecast is made, and by whom
  std::string known;            // when its outcome is known; empty: before the next time
  std::vector<std::string> by;  // what tells series apart
  io::NumberFormat format{};
  Note note{};  // told what was taken for granted
};

// Throws Error, naming the file.
LevelProblem read_levels(const std::string& path, const LevelColumns& columns);

// Throws Error, naming the row, for a quantile or an outcome that has no ln(1 + x).
void check_log1p(const LevelProblem& problem);

}  // namespace pcgs::compare
