// From the rows of a table to rounds that methods play: who forecast what, of which series, and when.
//
// In wide format a row is a round and models are columns. In long format a row is the forecast of one
// model: those of one time of one series are a round, and models and series are in the order in which
// they appear. A point is one number; of a distribution the quantiles are columns.
#pragma once

#include <string>
#include <vector>

#include "pcgs/run.h"

namespace pcgs::compare {

// One of the series of a table.
struct Series {
  std::vector<std::string> key;  // [series columns] what it is called
  Problem problem;
};

// All of them, in the order in which they appear: one, with an empty key, unless columns tell them
// apart. With the block and the delay of the request, the usual task and scale; times are not in order
// yet, but for long format (clock.h). Throws Error, naming the table.
std::vector<Series> problems_of(Table table, const Request& request, const TellNote& tell);

// Rounds are in the order of time, then of series.
QuantileProblem quantile_problem_of(Table table, const Request& request);

}  // namespace pcgs::compare
