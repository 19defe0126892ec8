// Made-up rows of quantile forecasts, read as the program reads them.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "run/level_rows.h"
#include "run/read_levels.h"
#include "support/temp_dir.h"

namespace pcgs::test {

inline compare::LevelProblem problem_of(const std::vector<LevelRow>& rows) {
  const TempDir dir;
  std::ofstream(dir / "a.csv", std::ios::binary) << level_csv(rows);
  compare::LevelColumns columns;
  columns.pattern = "q*";
  columns.outcome = "cases";
  columns.time = "week";
  columns.expert = "model";
  columns.known = "known";
  columns.by = {"place"};
  return read_levels(dir / "a.csv", columns);
}

// The same series by two columns: p0 and p1 are the horizons 10 and 9 of Y, p2 and p3 those of X.
inline compare::LevelProblem places_and_horizons(const std::vector<LevelRow>& rows) {
  compare::LevelProblem problem = problem_of(rows);
  problem.by = {"place", "horizon"};
  for (auto& key : problem.series) {
    const int number = std::stoi(key[0].substr(1));
    key = {number < 2 ? "Y" : "X", number % 2 == 0 ? "10" : "9"};
  }
  return problem;
}

}  // namespace pcgs::test
