// What pcgs oracle found: the loss of the best path of experts for each number of switches.
#pragma once

#include <cstddef>

#include "results/at_budget.h"

namespace pcgs::results {

struct OracleResult {
  static constexpr const char* kKind = "oracle";

  std::size_t rounds = 0;
  std::size_t experts = 0;
  ByBudget<double> values;
  ByBudget<std::size_t> switches_used;  // the fewest that are as good
  double seconds = 0;
  double states_per_second = 0;

  bool operator==(const OracleResult&) const = default;
};

}  // namespace pcgs::results
