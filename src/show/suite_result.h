// Several studies of pcgs suite at once.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "show/ablation_result.h"
#include "show/heavy_tail_result.h"
#include "show/main_result.h"
#include "show/mechanism_result.h"
#include "show/scaling_result.h"

namespace pcgs::results {

using Study = std::variant<MainStudy, HeavyTailStudy, ScalingStudy, MechanismStudy, AblationStudy>;

struct SuiteResult {
  static constexpr const char* kKind = "suite";

  std::vector<Study> studies;  // in JSON an object, by the name that --study has for them

  bool operator==(const SuiteResult&) const = default;
};

// "main" for the kind "main study".
std::string study_name(const Study& study);

}  // namespace pcgs::results
