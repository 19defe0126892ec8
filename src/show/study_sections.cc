// The smaller studies: scaling, ablations, and the mechanism in numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "show/drawn.h"
#include "show/sections.h"
#include "show/study_page.h"

namespace pcgs::report {

namespace {

using results::AblationStudy;
using results::find_method;
using results::MechanismStudy;
using results::ScalingStudy;

Chart scaling_chart(const ScalingStudy& study) {
  const auto methods = method_names(study.pools);
  Chart chart;
  chart.uses = "scaling";
  chart.id = "scaling-chart";
  chart.title = "Regret by number of experts";
  chart.note =
      "Against the exact best path, and against the path that generated the losses, which may take "
      "more switches. Bars: one standard deviation.";
  chart.height = 340;
  std::vector<double> pools;
  for (const auto& pool : study.pools) pools.push_back(static_cast<double>(pool.experts));
  chart.values = {{"pools", drawn(pools)}, {"series", methods}, {"palette", "methods"}};
  std::string ranges;
  for (const auto& name : methods) {
    std::vector<double> experts, exact, low, high, generating_experts, generating;
    for (const auto& pool : study.pools) {
      const auto* method = find_method(pool.methods, name);
      if (method == nullptr) continue;
      experts.push_back(static_cast<double>(pool.experts));
      exact.push_back(method->mean);
      low.push_back(method->mean - method->std);
      high.push_back(method->mean + method->std);
      if (!method->generating_path_regret) continue;
      generating_experts.push_back(experts.back());
      generating.push_back(method->generating_path_regret->mean);
    }
    chart.groups.push_back({{"series", name},
                            {"comparator", "exact oracle"},
                            {"experts", drawn(experts)},
                            {"value", drawn(exact)},
                            {"low", drawn(low)},
                            {"high", drawn(high)}});
    chart.groups.push_back({{"series", name},
                            {"comparator", "generating path"},
                            {"experts", drawn(generating_experts)},
                            {"value", drawn(generating)}});
    ranges += fmt::format("{}{} from {:.1f} to {:.1f}", ranges.empty() ? "" : ", ", name,
                          exact.front(), exact.back());
  }
  chart.alternative = "Regret from the smallest to the largest pool: " + ranges + ".";
  return chart;
}

Chart restarts_chart(const MechanismStudy& study) {
  const auto methods = method_names(study.families);
  Chart chart;
  chart.uses = "restarts";
  chart.id = "restarts-by-family";
  chart.title = "Restarts after a switch and elsewhere";
  chart.note = "Mean rho in the five rounds after the best path switches, and in all others.";
  chart.values = {{"families", names_of(study.families)}, {"names", methods}};
  chart.height = static_cast<int>(20 + 20 * methods.size());
  std::string ratios;
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      const double after = method.rho_after_switch, elsewhere = method.rho_elsewhere;
      if (!(after > 0) || !(elsewhere > 0)) continue;
      chart.groups.push_back({{"family", family.name},
                              {"name", method.name},
                              {"series", {"after a switch", "elsewhere"}},
                              {"value", drawn({after, elsewhere})}});
      if (method.name != study.config.featured) continue;
      ratios +=
          fmt::format("{}{} {:.1f}", ratios.empty() ? "" : ", ", family.name, after / elsewhere);
    }
  }
  chart.alternative =
      ratios.empty()
          ? "Mean rho after switches and elsewhere, for each family and method."
          : "Times as many restarts of the featured method after a switch as elsewhere: " + ratios +
                ".";
  return chart;
}

}  // namespace

Section scaling_section(const ScalingStudy& study) {
  Section section{"scaling", "Scaling: more and more experts", {}};
  section.blocks.emplace_back(scaling_chart(study));
  Table table;
  table.id = "scaling-means";
  table.caption = "Regret against the exact oracle / against the generating path, mean; " +
                  setting(study.config);
  table.head = {{"method", "name"}};
  for (const auto& pool : study.pools) {
    table.head.push_back({fmt::format("K = {}", pool.experts), std::to_string(pool.experts)});
    table.head.push_back({"generating path"});
  }
  for (const auto& name : method_names(study.pools)) {
    auto& row = table.rows.emplace_back();
    row.push_back({name});
    for (const auto& pool : study.pools) {
      const auto* method = find_method(pool.methods, name);
      row.push_back(method != nullptr ? number(method->mean, "{:.2f}") : Cell{""});
      row.push_back(method != nullptr && method->generating_path_regret
                        ? number(method->generating_path_regret->mean, "{:.2f}")
                        : Cell{""});
    }
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section ablation_section(const AblationStudy& study) {
  Section section{"ablation", "Ablations: what each choice is worth", {}};
  Chart chart;
  chart.id = "ablation-chart";
  chart.title = "Regret without one of the choices";
  chart.note =
      "Dynamic regret, mean and standard deviation; further left is better. The first row is the "
      "whole.";
  chart.alternative = "The means of the table below, one row of dots for each variant.";
  add_dots(study.families, "variants", chart);
  chart.height = static_cast<int>(20 + 18 * method_names(study.families).size());
  section.blocks.emplace_back(std::move(chart));
  Table table = means_table(study.families);
  table.id = "ablation-means";
  table.caption = "Dynamic regret, mean ± standard deviation; " + setting(study.config);
  table.head.front().name = "variant";
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section mechanism_section(const MechanismStudy& study) {
  using Method = MechanismStudy::Method;
  struct Column {
    const char *name, *key;
    double Method::*value;
  };
  constexpr Column kColumns[] = {
      {"rho after a switch", "rho_after_switch", &Method::rho_after_switch},
      {"elsewhere", "rho_elsewhere", &Method::rho_elsewhere},
      {"ratio", "rho_ratio", &Method::rho_ratio},
      {"q on the next expert", "q_on_next", &Method::q_on_next},
      {"entropy of q", "q_entropy", &Method::q_entropy},
      {"correlation with volatility", "rho_volatility_correlation",
       &Method::rho_volatility_correlation},
      {"effective complexity", "effective_complexity", &Method::effective_complexity},
      {"of uniform restarts", "uniform_complexity", &Method::uniform_complexity}};

  Section section{"mechanism", "Mechanism in numbers", {}};
  Table table;
  table.id = "mechanism-means";
  table.caption = "Restarts around the switches of the oracle's path; " + setting(study.config);
  table.head = {{"family and method"}};
  for (const auto& column : kColumns) table.head.push_back({column.name, column.key});
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      auto& row = table.rows.emplace_back();
      row.push_back({family.name + ": " + method.name});
      for (const auto& column : kColumns) {
        const double x = method.*column.value;
        row.push_back(number(x, std::abs(x) < 0.01 ? "{:.2g}" : "{:.3f}"));
      }
    }
  }
  Chart chart = restarts_chart(study);
  if (!chart.groups.empty()) section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace pcgs::report
