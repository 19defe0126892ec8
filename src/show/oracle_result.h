// What pcgs oracle found: the loss of the best path of experts for each number of switches.
#pragma once

#include <cstddef>
#include <optional>

#include "data/keyed_values.h"

namespace pcgs::results {

struct OracleResult {
  static constexpr const char* kKind = "oracle";

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
    bool operator==(const Unlimited&) const = default;
  };
  std::optional<Unlimited> unlimited{};

  bool operator==(const OracleResult&) const = default;
};

}  // namespace pcgs::results
