// What the scaling study found: more and more experts, two comparators.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "results/study_parts.h"

namespace pcgs::results {

struct ScalingStudy {
  static constexpr const char* kKind = "scaling study";

  struct Pool {
    std::size_t experts = 0;
    std::vector<double> oracle;           // [sequences]
    std::vector<double> generating_path;  // [sequences]
    std::vector<MethodRegret> methods;
    std::vector<MethodPair> comparisons;  // of the featured method with the others
    bool operator==(const Pool&) const = default;
  };

  StudyConfig config;
  std::vector<Pool> pools;  // at least one
  std::optional<Timing> timing;

  bool operator==(const ScalingStudy&) const = default;
};

}  // namespace pcgs::results
