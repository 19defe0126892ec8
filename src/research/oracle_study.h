// The exact best sequence of experts of a file: its loss for each number of switches.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/json.h"
#include "data/progress.h"
#include "data/whole_file.h"
#include "pcgs/oracle.h"

namespace pcgs::results {

struct Kind;

struct OracleResult {
  static constexpr const char* kKind = "oracle";
  static const Kind& kind();

  std::size_t rounds = 0;
  std::size_t experts = 0;
  ByBudget<double> values;
  ByBudget<std::size_t> switches_used;  // the fewest that are as good
  double seconds = 0;
  double states_per_second = 0;
  std::optional<double> switch_cost{};  // which the values contain; none if none was asked for
  // With as many switches as pay for themselves; where they cost something.
  struct Unlimited {
    std::optional<double> value;  // none if no path stays awake
    std::size_t switches_used = 0;
  };
  std::optional<Unlimited> unlimited{};
};

}  // namespace pcgs::results

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
