// Problems from a table: which of its columns are experts, outcomes, times and side information, and
// which rows belong together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/numbers.h"
#include "run/clock.h"
#include "run/problem.h"

namespace pcgs::compare {

struct ProblemColumns {
  std::string outcome;               // what the experts forecast; empty: the table holds losses
  std::vector<std::string> experts;  // empty: all other columns
  std::vector<std::string> ignore, side;
  std::string side_file;        // side information in a file of its own; empty: none
  std::string time;             // when each round is; empty: a column of dates is looked for
  std::vector<std::string> by;  // what tells series apart
  std::string expert_column;    // long format: who made the forecast of the row; empty: wide
  io::NumberFormat format{};
  Note note{};  // told what was taken for granted
};

// One of the series of a table.
struct Series {
  std::vector<std::string> key;  // [by] what it is called
  Problem problem;
};

// All of them, in the order in which they appear: one, with an empty key, without --by. With the usual
// task and scale; times are read and not yet put in order (clock.h). In long format a round is made of
// the rows of one time, experts are in the order in which they appear, and rounds in that of time.
// Throws Error, naming the file.
std::vector<Series> read_series(const std::string& path, const ProblemColumns& columns);

// The only one.
Problem read_problem(const std::string& path, const ProblemColumns& columns);

}  // namespace pcgs::compare
