// What the main study found: all families, all methods, every two of them compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "show/study_parts.h"

namespace pcgs::results {

struct MainStudy : PlayedStudy {
  static constexpr const char* kKind = "main study";

  // Fixed Share with the best rates for each single sequence.
  struct Tuned {
    std::vector<double> regret;  // [sequences]
    double mean = 0;
    bool operator==(const Tuned&) const = default;
  };
  struct Family : PlayedMethods {
    std::string name;
    std::vector<double> generating_path;  // [sequences]
    std::optional<Tuned> fixed_share_tuned_per_sequence;
    bool operator==(const Family&) const = default;
  };

  std::vector<Family> families;  // at least one

  bool operator==(const MainStudy&) const = default;
};

}  // namespace pcgs::results
