// What the robustness study found: a grid of tail weights and jump probabilities.
#pragma once

#include <vector>

#include "show/study_parts.h"

namespace pcgs::results {

struct HeavyTailStudy : PlayedStudy {
  static constexpr const char* kKind = "heavy-tail study";

  struct Cell : PlayedMethods {
    double df = 0;
    double jump_probability = 0;
    bool operator==(const Cell&) const = default;
  };

  std::vector<Cell> cells;  // at least one

  bool operator==(const HeavyTailStudy&) const = default;
};

}  // namespace pcgs::results
