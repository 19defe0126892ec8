// When and where a method of the share form restarts, round by round.
#include <fmt/format.h>

#include "report/charts.h"
#include "report/sections.h"
#include "report/time_charts.h"

namespace pcgs::report {

namespace {

Chart scatter_chart(const MethodDepth& method, const std::string& id) {
  Chart chart;
  chart.id = id + "-volatility";
  chart.title = "Restarts and volatility of " + method.name;
  chart.note =
      "One point for each stretch of the run, its strongest restart: rho against the standard "
      "deviation of the last ten losses.";
  chart.alternative =
      fmt::format("{} points of volatility and rho of {}.", method.scatter_rho.size(), method.name);
  chart.groups.push_back(
      {{"volatility", drawn(method.scatter_volatility)}, {"rho", drawn(method.scatter_rho)}});
  const ordered_json y = spanning("rho", "rho", method.scatter_rho);
  ordered_json x = quantitative("volatility", "volatility of the learner's loss");
  x["scale"] = {{"zero", false}};
  chart.spec = {{"mark", {{"type", "point"}, {"filled", true}, {"opacity", 0.5}, {"size", 24}}},
                {"encoding", {{"x", x}, {"y", y}}}};
  return chart;
}

}  // namespace

std::optional<Section> restarts_section(const std::vector<RunDepth>& runs) {
  Section section{"restarts", "Mechanism: when and where it restarts", {}};
  section.blocks.emplace_back(Paragraph{
      "A method of the share form deals a part rho of the weights out anew after each round, "
      "following a distribution q. A good one restarts when the best expert changes, towards the "
      "expert that is best next."});
  Choice choice{"restarts-of", runs.size() == 1 ? "Method" : "Run and method", {}};
  std::size_t varying = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t m = 0; m < runs[i].methods.size(); ++m) {
      const RunDepth& run = runs[i];
      const MethodDepth& method = run.methods[m];
      if (method.rho.y.empty()) continue;
      const std::string id = option_id("restarts", i, m);
      Choice::Option option{
          runs.size() == 1 ? method.name : fmt::format("{}: {}", run.title, method.name), {}};
      option.blocks.push_back(unless_constant(rho_chart(run, method, i, id), method.rho));
      if (!method.q_on_next.y.empty()) {
        Chart next = control_chart(run, i, id + "-q", method.q_on_next,
                                   spanning("mass", "q on the next expert", method.q_on_next.y));
        next.title =
            "Restart mass of " + method.name + " on the expert that the best path plays next";
        next.note = fmt::format("Uniform restarts put 1/{} there.", run.experts.size());
        next.alternative =
            range_sentence("Restart mass on the next best expert", method.name, method.q_on_next);
        option.blocks.push_back(unless_constant(std::move(next), method.q_on_next));
      }
      Chart entropy = control_chart(run, i, id + "-entropy", method.q_entropy,
                                    quantitative("entropy", "entropy in nats"));
      entropy.title = "Entropy of q of " + method.name;
      entropy.note =
          "Low: restarts go to few experts. Uniform restarts have the logarithm of the "
          "number of experts.";
      entropy.alternative = range_sentence("Entropy of q", method.name, method.q_entropy);
      option.blocks.push_back(unless_constant(std::move(entropy), method.q_entropy));
      if (!is_constant(method.rho) && !method.scatter_rho.empty()) {
        option.blocks.emplace_back(scatter_chart(method, id));
      }
      // Those that have something to show come first.
      const auto at = is_constant(method.rho)
                          ? choice.options.end()
                          : choice.options.begin() + static_cast<std::ptrdiff_t>(varying++);
      choice.options.insert(at, std::move(option));
    }
  }
  if (choice.options.empty()) return std::nullopt;
  section.blocks.emplace_back(std::move(choice));
  return section;
}

}  // namespace pcgs::report
