// The scaling study: the switch family with more and more experts, against the exact oracle and
// against the path that generated the losses.
#include <fmt/format.h>

#include "research/regrets.h"
#include "research/study.h"
#include "research/study_tables.h"
#include "run/summary.h"

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
