#include "research/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pcgs/registry.h"
#include "show/curves.h"

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

Chart heat_map(const HeatMap& map, double low, double high, const char* row, const char* column) {
  Chart chart;
  chart.uses = "heat_map";
  chart.values = {{"row", row},
                  {"rows", map.rows},
                  {"column", column},
                  {"columns", map.columns},
                  {"domain", {low, (low + high) / 2, high}}};
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    std::vector<double> values;
    ordered_json texts = ordered_json::array(), notes = ordered_json::array();
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      const auto& cell = map.at(r, c);
      values.push_back(cell.value);
      texts.push_back(cell.text);
      notes.push_back(cell.note.empty() ? ordered_json(nullptr) : ordered_json(cell.note));
    }
    chart.groups.push_back({{row, map.rows[r]},
                            {column, map.columns},
                            {"value", drawn(values)},
                            {"text", texts},
                            {"note", notes}});
  }
  chart.height = static_cast<int>(30 + 22 * map.rows.size());
  return chart;
}

}  // namespace pcgs::report
