// The exact best sequence of experts of a file, for some numbers of switches.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/progress.h"
#include "data/whole_file.h"
#include "pcgs/oracle.h"
#include "show/oracle_result.h"

namespace pcgs::studies {

struct LossFile {
  std::vector<std::string> experts;  // [K]
  Matrix matrix;                     // of a CSV file; an NPY file is mapped
  std::unique_ptr<LossRows> losses;  // +infinity for sleepers
};

// A missing value is an expert that sleeps.
LossFile open_losses(const std::string& path, const std::vector<std::string>& ignore);

// Whether these are more likely forecasts: beyond [0,1], and in nearly every round all experts say much
// the same, which their losses hardly ever do. Looks at the first rounds.
bool looks_like_forecasts(const LossRows& losses);

// Which paths are looked for.
struct PathLimits {
  std::vector<std::size_t> switches;  // budgets; may be empty where a switch costs something
  std::optional<double> switch_cost;  // there is a path without a budget as well

  // Of the path that is written: none for the one without a budget.
  std::optional<std::size_t> most() const;
};

results::OracleResult sweep_oracle(const LossRows& losses, const PathLimits& limits,
                                   std::size_t threads, const io::Monitor& monitor);
// With the largest budget, or without one.
SwitchingPath find_path(const LossRows& losses, const PathLimits& limits, std::size_t memory,
                        std::size_t threads, const io::Monitor& monitor);

std::string oracle_table(const results::OracleResult& oracle, const std::string& origin);
// One line for each round: round, expert, switched.
void write_path(WholeFile& file, const SwitchingPath& path,
                const std::vector<std::string>& experts);

}  // namespace pcgs::studies
