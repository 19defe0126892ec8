// What the mechanism study found: when and where methods of the share form restart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "show/study_parts.h"

namespace pcgs::results {

struct MechanismStudy : PlayedStudy {
  static constexpr const char* kKind = "mechanism study";

  // Means over the sequences; see research/mechanism.h.
  struct Method {
    std::string name;
    std::size_t switches_total = 0;
    double rho_after_switch = 0;
    double rho_elsewhere = 0;
    double rho_ratio = 0;
    double q_on_next = 0;
    double q_entropy = 0;
    double rho_volatility_correlation = 0;
    double effective_complexity = 0;
    double uniform_complexity = 0;
    bool operator==(const Method&) const = default;
  };
  struct Family {
    std::string name;
    std::vector<Method> methods;
    bool operator==(const Family&) const = default;
  };

  std::vector<Family> families;  // at least one

  bool operator==(const MechanismStudy&) const = default;
};

}  // namespace pcgs::results
