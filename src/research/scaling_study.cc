// The scaling study: the switch family with more and more experts, against the exact oracle and
// against the path that generated the losses.
#include <fmt/format.h>

#include "research/study.h"
#include "run/statistics.h"
#include "show/curves.h"

namespace pcgs::studies {

using results::find_method;
using results::MethodRegret;
using results::Part;

namespace {

report::Chart scaling_chart(const StudyResult& study) {
  const auto methods = method_names(study.parts);
  report::Chart chart;
  chart.id = "scaling-chart";
  chart.title = "Regret by number of experts";
  chart.note =
      "Against the exact best path, and against the path that generated the losses, which may take "
      "more switches. Bars: one standard deviation.";
  std::vector<double> pools;
  for (const Part& pool : study.parts) pools.push_back(static_cast<double>(*pool.experts));
  chart.uses = "scaling";
  chart.values = {{"pools", report::drawn(pools)}, {"series", methods}, {"palette", "methods"}};
  std::string ranges;
  for (const auto& name : methods) {
    std::vector<double> experts, exact, low, high, generating_experts, generating;
    for (const Part& pool : study.parts) {
      const auto* method = find_method(pool.methods, name);
      if (method == nullptr) continue;
      experts.push_back(static_cast<double>(*pool.experts));
      exact.push_back(method->mean);
      low.push_back(method->mean - method->std);
      high.push_back(method->mean + method->std);
      if (!method->generating_path_regret) continue;
      generating_experts.push_back(experts.back());
      generating.push_back(method->generating_path_regret->mean);
    }
    chart.groups.push_back({{"series", name},
                            {"comparator", "exact oracle"},
                            {"experts", report::drawn(experts)},
                            {"value", report::drawn(exact)},
                            {"low", report::drawn(low)},
                            {"high", report::drawn(high)}});
    chart.groups.push_back({{"series", name},
                            {"comparator", "generating path"},
                            {"experts", report::drawn(generating_experts)},
                            {"value", report::drawn(generating)}});
    ranges += fmt::format("{}{} from {:.1f} to {:.1f}", ranges.empty() ? "" : ", ", name,
                          exact.front(), exact.back());
  }
  chart.height = 340;
  chart.alternative = "Regret from the smallest to the largest pool: " + ranges + ".";
  return chart;
}

}  // namespace

void play_scaling(const StudyConfig& config, const io::Monitor& monitor, StudyResult& study) {
  study.config.experts = 0;
  for (const std::size_t experts : config.pools) study.parts.push_back({.experts = experts});
  play_parts(config, monitor, study);
}

StudyTables scaling_tables(const StudyResult& study) {
  const auto exact = means_table(study);
  const auto generating =
      by_part(study, method_names(study.parts), [](const Part&, const MethodRegret& method) {
        const auto beyond = method.generating_path_regret.value_or(results::Spread{});
        return spread_cell(beyond.mean, beyond.std);
      });
  return {{{"scaling",
            plain(exact, fmt::format("Regret against the exact oracle with {} switches, by number "
                                     "of experts, mean ± standard deviation over {} sequences of "
                                     "family switch",
                                     study.config.switches, study.config.sequences))},
           {"scaling-generating-path",
            plain(generating,
                  "Regret against the path that generated the losses, the comparator of the paper, "
                  "by number of experts")}}};
}

void show_scaling(const StudyResult& study, report::PageParts& page) {
  show::Table table;
  table.id = "scaling-means";
  table.caption = "Regret against the exact oracle / against the generating path, mean; " +
                  setting(study.config);
  table.head = {{"method", "name"}};
  for (const Part& pool : study.parts) {
    table.head.push_back({pool.name(), std::to_string(*pool.experts)});
    table.head.push_back({"generating path"});
  }
  for (const auto& name : method_names(study.parts)) {
    auto& row = table.rows.emplace_back();
    row.push_back({name});
    for (const Part& pool : study.parts) {
      const auto* method = find_method(pool.methods, name);
      const bool beyond = method != nullptr && method->generating_path_regret;
      row.push_back(method != nullptr ? show::number(method->mean, "{:.2f}") : show::Cell{});
      row.push_back(beyond ? show::number(method->generating_path_regret->mean, "{:.2f}")
                           : show::Cell{});
    }
  }
  page.add(report::Section{
      "scaling", "Scaling: more and more experts", {scaling_chart(study), std::move(table)}});
}

}  // namespace pcgs::studies
