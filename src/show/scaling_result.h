// What the scaling study found: more and more experts, two comparators.
#pragma once

#include <cstddef>
#include <vector>

#include "show/study_parts.h"

namespace pcgs::results {

struct ScalingStudy : PlayedStudy {
  static constexpr const char* kKind = "scaling study";

  struct Pool : PlayedMethods {
    std::size_t experts = 0;
    std::vector<double> generating_path;  // [sequences]
    bool operator==(const Pool&) const = default;
  };

  std::vector<Pool> pools;  // at least one

  bool operator==(const ScalingStudy&) const = default;
};

}  // namespace pcgs::results
