#include "show/heat_map.h"

#include <cmath>

#include "show/drawn.h"

namespace pcgs::report {

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
