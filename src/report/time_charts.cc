#include "report/time_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pcgs::report {

std::string window_of(std::size_t run) { return fmt::format("time-{}", run + 1); }

std::string path_name(const RunDepth& run) {
  return fmt::format("the best path of experts with at most {} switch{}", run.switches,
                     run.switches == 1 ? "" : "es");
}

ordered_json line(double width) {
  return {{"type", "line"}, {"clip", true}, {"strokeWidth", width}, {"strokeJoin", "round"}};
}

std::string option_id(const char* what, std::size_t run, std::size_t method) {
  return fmt::format("{}-{}-{}", what, run + 1, method + 1);
}

// Restarts span many orders of magnitude.
ordered_json spanning(const char* field, const char* axis, const std::vector<double>& values) {
  ordered_json y = quantitative(field, axis);
  y["scale"] = {{"zero", false}};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (low != values.end() && *low > 0 && *high > 20 * *low) {
    y["scale"] = {{"type", "log"}};
    y["axis"] = {{"format", ".0e"}, {"tickCount", 5}, {"grid", false}};
  }
  return y;
}

// A line over time with the oracle's switches marked.
Chart control_chart(const RunDepth& run, std::size_t index, const std::string& id,
                    const Points& points, const ordered_json& y) {
  Chart chart;
  const auto field = y.at("field").get<std::string>();
  chart.id = id;
  chart.window = window_of(index);
  chart.canvas = true;
  chart.height = 150;
  chart.groups.push_back(curve(points, field.c_str()));
  std::vector<double> switches;
  for (std::size_t i = 1; i < run.path.size(); ++i) switches.push_back(run.path[i].from);
  const ordered_json marked = {{"round", drawn(switches)}};
  chart.datasets = {{"switches", ordered_json::array({marked})}};
  ordered_json rules = {{"data", {{"name", "switches"}}},
                        {"mark", {{"type", "rule"}, {"clip", true}, {"color", themed("faint")}}},
                        {"encoding", {{"x", time_axis()}}}};
  ordered_json curve_layer = {{"mark", line(1.2)}, {"encoding", {{"x", time_axis()}, {"y", y}}}};
  chart.spec = {{"params", window_params(run.first, run.last)},
                {"layer", switches.empty() ? ordered_json::array({curve_layer})
                                           : ordered_json::array({rules, curve_layer})}};
  return chart;
}

bool is_constant(const Points& points) {
  const auto [low, high] = std::minmax_element(points.y.begin(), points.y.end());
  return low == points.y.end() || *high - *low <= 1e-12 * std::abs(*high);
}

Block unless_constant(Chart chart, const Points& points) {
  if (points.y.empty() || !is_constant(points)) return chart;
  return Paragraph{fmt::format("{}: {:.6g} in every round.", chart.title, points.y.front())};
}

std::string range_sentence(const char* what, const std::string& method, const Points& points) {
  if (points.y.empty()) return fmt::format("{} of {}", what, method);
  const auto [low, high] = std::minmax_element(points.y.begin(), points.y.end());
  return fmt::format("{} of {} over time, between {:.3g} and {:.3g}.", what, method, *low, *high);
}

Chart rho_chart(const RunDepth& run, const MethodDepth& method, std::size_t index,
                const std::string& id) {
  Chart chart =
      control_chart(run, index, id + "-rho", method.rho, spanning("rho", "rho", method.rho.y));
  chart.title = "Restart intensity rho of " + method.name;
  chart.note =
      "How much of the weights is dealt out anew after each round. Vertical lines: the best path "
      "switches.";
  chart.alternative = range_sentence("Restart intensity", method.name, method.rho);
  return chart;
}

}  // namespace pcgs::report
