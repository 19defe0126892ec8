#include "show/study_page.h"

#include <fmt/format.h>

#include "show/drawn.h"

namespace pcgs::report {

bool playable(const std::string& method) { return is_playable(method) && method != kLimit; }

std::string setting(const results::StudyConfig& config) {
  return fmt::format("oracle with at most {} switches, {} sequences of {} rounds{}, seed {}",
                     config.switches, config.sequences, config.rounds,
                     config.experts ? fmt::format(" and {} experts", *config.experts) : "",
                     config.seed);
}

Cell mean_and_deviation(const results::MethodRegret* method) {
  if (method == nullptr) return {""};
  Cell cell = number(method->mean, "{:.2f}");
  cell.text += fmt::format(" ± {:.2f}", method->std);
  return cell;
}

ordered_json family_dots(const std::string& family,
                         const std::vector<results::MethodRegret>& methods) {
  std::vector<double> mean, low, high;
  for (const auto& method : methods) {
    mean.push_back(method.mean);
    low.push_back(method.mean - method.std);
    high.push_back(method.mean + method.std);
  }
  return {{"family", family},
          {"series", names_of(methods)},
          {"value", drawn(mean)},
          {"low", drawn(low)},
          {"high", drawn(high)}};
}

}  // namespace pcgs::report
