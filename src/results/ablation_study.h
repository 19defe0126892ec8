// What the ablation study found: the learned controller with one of its choices taken away.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/study_parts.h"

namespace pcgs::results {

struct AblationStudy {
  static constexpr const char* kKind = "ablation study";

  struct Family {
    std::string name;
    std::vector<double> oracle;           // [sequences]
    std::vector<MethodRegret> methods;    // the variants; the first is the whole
    std::vector<MethodPair> comparisons;  // of the whole with the others
    bool operator==(const Family&) const = default;
  };

  StudyConfig config;
  std::vector<Family> families;  // at least one
  std::optional<Timing> timing;

  bool operator==(const AblationStudy&) const = default;
};

}  // namespace pcgs::results
