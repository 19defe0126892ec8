// The scaling study: the switch family with more and more experts, against the exact oracle and
// against the path that generated the losses.
#include <fmt/format.h>

#include "research/study.h"
#include "research/study_page.h"
#include "run/statistics.h"
#include "show/curves.h"

namespace pcgs::studies {

results::ScalingStudy scaling_study(const StudyConfig& config, const io::Monitor& monitor) {
  std::size_t work = 0;
  for (const std::size_t experts : config.pools) work += experts * config.sequences;
  const io::Advance advance = monitor("scaling study", work);

  results::ScalingStudy study;
  study.config = config.summary();
  study.config.experts.reset();
  for (const std::size_t experts : config.pools) {
    auto tournament = config.tournament("switch");
    tournament.experts = experts;
    tournament.finished_one = [&] { advance(experts); };
    const suite::Tournament played = suite::play_tournament(tournament);
    auto methods = method_regrets(played);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const auto [mean, std] =
          stats::summarize(suite::minus(played.entries[m].losses, played.generating));
      methods[m].generating_path_regret = {mean, std};
    }
    auto comparisons = against_others(methods, compared_methods(study.config));
    study.pools.push_back(
        {{played.oracle, std::move(methods), std::move(comparisons)}, experts, played.generating});
  }
  return study;
}

StudyTables tables_of(const results::ScalingStudy& study) {
  io::TextTable exact{
      fmt::format("Regret against the exact oracle with {} switches, by number of experts, "
                  "mean ± standard deviation over {} sequences of family switch",
                  study.config.switches, study.config.sequences),
      {"method"},
      {}};
  io::TextTable generating{
      "Regret against the path that generated the losses, the comparator of the paper, by number "
      "of experts",
      {"method"},
      {}};
  for (const auto& method : study.pools.front().methods) {
    exact.rows.push_back({method.name});
    generating.rows.push_back({method.name});
  }
  for (const auto& pool : study.pools) {
    for (auto* table : {&exact, &generating}) {
      table->head.push_back(fmt::format("K = {}", pool.experts));
    }
    for (std::size_t m = 0; m < pool.methods.size(); ++m) {
      const auto& method = pool.methods[m];
      const auto beyond = method.generating_path_regret.value_or(results::Spread{});
      exact.rows[m].push_back(mean_and_deviation(method.mean, method.std));
      generating.rows[m].push_back(mean_and_deviation(beyond.mean, beyond.std));
    }
  }
  return {{{"scaling", std::move(exact)}, {"scaling-generating-path", std::move(generating)}}};
}

}  // namespace pcgs::studies

namespace pcgs::report {

namespace {

using results::find_method;
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

}  // namespace

void show_scaling(const ScalingStudy& study, const Shown& shown, PageParts& page) {
  page.title = shown.result.kind().name;
  page.add(scaling_section(study));
}

}  // namespace pcgs::report
