// Quantile forecasts of experts that come and go, for one series or for several, and what happened.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::compare {

struct LevelProblem {
  struct Forecast {
    std::size_t expert = 0, row = 0;  // in `experts` and in `quantiles`
  };
  // One time of one series.
  struct Round {
    std::size_t series = 0;
    double time = 0, known = 0;         // the outcome can be used at times after `known`
    std::string time_text, known_text;  // as in the file; the latter empty without --known
    double outcome = 0;                 // NaN: not there
    std::vector<Forecast> forecasts;    // at least one, of different experts
  };

  std::string origin;                            // the file, for messages
  std::string time, known, outcome;              // names of columns; `known` may be empty
  bool calendar = false;                         // times are seconds since 1970; else plain numbers
  std::vector<std::string> by;                   // columns that tell series apart
  std::vector<std::vector<std::string>> series;  // [S][by]
  std::vector<std::string> experts;              // [K] in the order of their first rounds
  std::vector<double> levels;                    // [P] rising
  std::vector<std::string> columns;              // [P] what they are called
  Matrix quantiles;                              // [rows x P] NaN: not given
  std::vector<Round> rounds;                     // in the order of time, then of series
};

}  // namespace pcgs::compare
