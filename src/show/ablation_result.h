// What the ablation study found: the learned controller with one of its choices taken away.
#pragma once

#include <string>
#include <vector>

#include "show/study_parts.h"

namespace pcgs::results {

struct AblationStudy : PlayedStudy {
  static constexpr const char* kKind = "ablation study";

  // Its methods are the variants; the first is the whole.
  struct Family : PlayedMethods {
    std::string name;
    bool operator==(const Family&) const = default;
  };

  std::vector<Family> families;  // at least one

  bool operator==(const AblationStudy&) const = default;
};

}  // namespace pcgs::results
