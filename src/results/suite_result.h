// Several studies of pcgs suite at once.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "results/ablation_study.h"
#include "results/heavy_tail_study.h"
#include "results/main_study.h"
#include "results/mechanism_study.h"
#include "results/scaling_study.h"

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
