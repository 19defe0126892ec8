// What the main study found: all families, all methods, every two of them compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/study_parts.h"

namespace pcgs::results {

struct MainStudy {
  static constexpr const char* kKind = "main study";

  // Fixed Share with the best rates for each single sequence.
  struct Tuned {
    std::vector<double> regret;  // [sequences]
    double mean = 0;
    bool operator==(const Tuned&) const = default;
  };
  struct Family {
    std::string name;
    std::vector<double> oracle;           // [sequences]
    std::vector<double> generating_path;  // [sequences]
    std::vector<MethodRegret> methods;
    std::optional<Tuned> fixed_share_tuned_per_sequence;
    std::vector<MethodPair> comparisons;
    bool operator==(const Family&) const = default;
  };

  StudyConfig config;
  std::vector<Family> families;  // at least one
  std::optional<Timing> timing;

  bool operator==(const MainStudy&) const = default;
};

}  // namespace pcgs::results
