// The household benchmark as a whole: what was read, the losses, and how the methods did on them.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "electricity_losses.h"

namespace pcgs::cli {

using compare::Comparison;
using compare::MethodResult;

struct ElectricityStudy {
  std::string origin;  // the file
  std::string column;
  std::string description;  // of what was read
  std::vector<std::size_t> seasons;
  const SplitLosses& losses;
  Comparison comparison;  // on the test part
};

nlohmann::ordered_json electricity_json(const ElectricityStudy& study);
std::string electricity_table(const ElectricityStudy& study);

}  // namespace pcgs::cli
