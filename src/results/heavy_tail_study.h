// What the robustness study found: a grid of tail weights and jump probabilities.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/study_parts.h"

namespace pcgs::results {

struct HeavyTailStudy {
  static constexpr const char* kKind = "heavy-tail study";

  struct Cell {
    double df = 0;
    double jump_probability = 0;
    std::vector<double> oracle;  // [sequences]
    std::vector<MethodRegret> methods;
    std::vector<MethodPair> comparisons;  // of the featured method with the others
    bool operator==(const Cell&) const = default;
  };

  StudyConfig config;
  std::vector<Cell> cells;  // at least one
  std::optional<Timing> timing;

  bool operator==(const HeavyTailStudy&) const = default;
};

}  // namespace pcgs::results
