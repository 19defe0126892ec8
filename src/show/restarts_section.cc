// When and where a method of the share form restarts, round by round.
#include <fmt/format.h>

#include "show/sections.h"
#include "show/time_charts.h"

namespace pcgs::report {

namespace {

Control mass_control(const RunDepth& run) {
  return {&MethodDepth::q_on_next, "q",
          "Restart mass of {} on the expert that the best path plays next", "q on the next expert",
          fmt::format("Uniform restarts put 1/{} there.", run.experts.size())};
}

Control entropy_control() {
  return {&MethodDepth::q_entropy,
          "entropy",
          "Entropy of q of {}",
          "entropy in nats",
          "Low: restarts go to few experts. Uniform restarts have the logarithm of the number of "
          "experts.",
          false};
}

Chart scatter_chart(const MethodDepth& method, const std::string& id) {
  Chart chart;
  chart.uses = "scatter";
  chart.id = id + "-volatility";
  chart.title = "Restarts and volatility of " + method.name;
  chart.note =
      "One point for each stretch of the run, its strongest restart: rho against the standard "
      "deviation of the last ten losses.";
  chart.alternative =
      fmt::format("{} points of volatility and rho of {}.", method.scatter_rho.size(), method.name);
  chart.values = {{"y", axis_for(method.scatter_rho)}};
  chart.groups.push_back(
      {{"volatility", drawn(method.scatter_volatility)}, {"rho", drawn(method.scatter_rho)}});
  return chart;
}

std::vector<Block> blocks_of(const RunDepth& run, const MethodDepth& method, std::size_t index,
                             const std::string& id) {
  std::vector<Block> blocks = {control_block(run, method, index, id, rho_control())};
  if (!method.q_on_next.y.empty()) {
    blocks.push_back(control_block(run, method, index, id, mass_control(run)));
  }
  blocks.push_back(control_block(run, method, index, id, entropy_control()));
  if (!is_constant(method.rho) && !method.scatter_rho.empty()) {
    blocks.emplace_back(scatter_chart(method, id));
  }
  return blocks;
}

}  // namespace

std::optional<Section> restarts_section(const std::vector<const RunDepth*>& runs) {
  Choice choice{"restarts-of", runs.size() == 1 ? "Method" : "Run and method", {}};
  std::size_t varying = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t m = 0; m < runs[i]->methods.size(); ++m) {
      const MethodDepth& method = runs[i]->methods[m];
      if (method.rho.y.empty()) continue;
      // Those that have something to show come first.
      const auto at = is_constant(method.rho)
                          ? choice.options.end()
                          : choice.options.begin() + static_cast<std::ptrdiff_t>(varying++);
      choice.options.insert(
          at, {runs.size() == 1 ? method.name : fmt::format("{}: {}", runs[i]->title, method.name),
               blocks_of(*runs[i], method, i, option_id("restarts", i, m))});
    }
  }
  if (choice.options.empty()) return std::nullopt;
  Section section{"restarts", "Mechanism: when and where it restarts", {}};
  section.blocks.emplace_back(
      Paragraph{"A method of the share form deals a part rho of the weights out anew after each "
                "round, following a distribution q. A good one restarts when the best expert "
                "changes, towards the expert that is best next."});
  section.blocks.emplace_back(std::move(choice));
  return section;
}

}  // namespace pcgs::report
