#include "show/time_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pcgs::report {

Control eta_control() {
  return {&MethodDepth::eta, "eta", "Learning rate eta of {}", "eta",
          "How strongly a loss moves the weights. Vertical lines: the best path switches."};
}

Control rho_control() {
  return {&MethodDepth::rho, "rho", "Restart intensity rho of {}", "rho",
          "How much of the weights is dealt out anew after each round. Vertical lines: the best "
          "path switches."};
}

std::string window_of(std::size_t run) { return fmt::format("time-{}", run + 1); }

std::string option_id(const char* what, std::size_t run, std::size_t method) {
  return fmt::format("{}-{}-{}", what, run + 1, method + 1);
}

std::string path_name(const RunDepth& run) {
  return fmt::format("the best path of experts with at most {} switch{}", run.switches,
                     run.switches == 1 ? "" : "es");
}

Chart over_time(const char* uses, std::string id, std::string window, const AxisRange& range) {
  Chart chart;
  chart.uses = uses;
  chart.id = std::move(id);
  chart.window = std::move(window);
  chart.canvas = true;
  chart.values = {{"first", range.first}, {"last", range.last}};
  chart.calendar = range.calendar;
  return chart;
}

Window time_window(std::string id, const AxisRange& range, const char* of_what, ordered_json groups,
                   const std::vector<std::string>& series, const char* palette) {
  Window window{id, range.first, range.last, over_time("overview", id + "-overview", "", range)};
  Chart& chart = window.overview;
  chart.title = fmt::format("Choose a part of the {}", of_what);
  chart.note = "Drag over the curves, or move the sliders; the charts below follow.";
  chart.height = 70;
  chart.groups = std::move(groups);
  chart.values.update({{"series", series}, {"palette", palette}});
  return window;
}

// Restarts span many orders of magnitude.
const char* axis_for(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return low != values.end() && *low > 0 && *high > 20 * *low ? "log" : "linear";
}

bool is_constant(const Points& points) {
  const auto [low, high] = std::minmax_element(points.y.begin(), points.y.end());
  return low == points.y.end() || *high - *low <= 1e-12 * std::abs(*high);
}

Block control_block(const RunDepth& run, const MethodDepth& method, std::size_t index,
                    const std::string& id, const Control& control) {
  const Points& points = method.*control.points;
  const std::string title = fmt::format(fmt::runtime(control.title), method.name);
  if (!points.y.empty() && is_constant(points)) {
    return Paragraph{fmt::format("{}: {:.6g} in every round.", title, points.y.front())};
  }
  Chart chart =
      over_time("control", fmt::format("{}-{}", id, control.id), window_of(index), run.range());
  chart.title = title;
  chart.note = control.note;
  chart.alternative = title;
  if (!points.y.empty()) {
    const auto [low, high] = std::minmax_element(points.y.begin(), points.y.end());
    chart.alternative += fmt::format(" over time, between {:.3g} and {:.3g}.", *low, *high);
  }
  chart.height = 150;
  chart.values.update(
      {{"axis", control.axis}, {"y", control.spans ? axis_for(points.y) : "linear"}});
  chart.groups.push_back(curve(points));
  std::vector<double> switches;
  for (std::size_t i = 1; i < run.path.size(); ++i) switches.push_back(run.path[i].from);
  const ordered_json marked = {{"round", drawn(switches)}};
  chart.datasets = {{"switches", ordered_json::array({marked})}};
  return chart;
}

}  // namespace pcgs::report
