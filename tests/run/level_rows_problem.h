// Made-up rows of quantile forecasts, read as the program reads them.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "pcgs/outcome.h"
#include "run/level_rows.h"
#include "run/rounds.h"
#include "support/temp_dir.h"

namespace pcgs::test {

inline QuantileProblem problem_of(const std::vector<LevelRow>& rows) {
  const TempDir dir;
  std::ofstream(dir / "a.csv", std::ios::binary) << level_csv(rows);
  Request request;
  request.quantiles = "q*";
  request.outcome = "cases";
  request.time = "week";
  request.model_column = "model";
  request.known = "known";
  request.series = {"place"};
  return compare::quantile_problem_of(read_table({dir / "a.csv"}, request), request);
}

// The same series by two columns: p0 and p1 are the horizons 10 and 9 of Y, p2 and p3 those of X.
inline QuantileProblem places_and_horizons(const std::vector<LevelRow>& rows) {
  QuantileProblem problem = problem_of(rows);
  problem.by = {"place", "horizon"};
  for (auto& key : problem.series) {
    const int number = std::stoi(key[0].substr(1));
    key = {number < 2 ? "Y" : "X", number % 2 == 0 ? "10" : "9"};
  }
  return problem;
}

}  // namespace pcgs::test
