// A problem from a table: which of its columns are experts, outcomes and side information.
#pragma once

#include <string>
#include <vector>

#include "compare/problem.h"

namespace pcgs::compare {

struct ProblemColumns {
  std::string outcome;               // what the experts forecast; empty: the table holds losses
  std::vector<std::string> experts;  // empty: all other columns
  std::vector<std::string> ignore, side;
  std::string side_file;  // side information in a file of its own; empty: none
};

// With the usual task and scale. Throws Error, naming the file.
Problem read_problem(const std::string& path, const ProblemColumns& columns);

}  // namespace pcgs::compare
