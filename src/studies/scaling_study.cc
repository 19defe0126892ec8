// The scaling study: the switch family with more and more experts, against the exact oracle and
// against the path that generated the losses.
#include <fmt/format.h>

#include "stats/summary.h"
#include "studies/regrets.h"
#include "studies/study.h"

namespace pcgs::studies {

using nlohmann::ordered_json;

StudyResult scaling_study(const StudyConfig& config, const io::Monitor& monitor) {
  std::size_t work = 0;
  for (const std::size_t experts : config.pools) work += experts * config.sequences;
  const io::Advance advance = monitor("scaling study", work);

  StudyResult result;
  result.json = config_json(config);
  result.json["config"].erase("experts");
  result.json["pools"] = ordered_json::array();
  io::TextTable exact{
      fmt::format("Regret against the exact oracle with {} switches, by number of experts, "
                  "mean ± standard deviation over {} sequences of family switch",
                  config.switches, config.sequences),
      {"method"},
      {}};
  io::TextTable generating{
      "Regret against the path that generated the losses, the comparator of the paper, by number "
      "of experts",
      {"method"},
      {}};
  for (const std::size_t experts : config.pools) {
    auto tournament = config.tournament("switch");
    tournament.experts = experts;
    tournament.finished_one = [&] { advance(experts); };
    const suite::Tournament played = suite::play_tournament(tournament);
    const auto all = regrets(played);

    ordered_json pool = {{"experts", experts},
                         {"oracle", played.oracle},
                         {"generating_path", played.generating},
                         {"methods", regrets_json(all)}};
    exact.head.push_back(fmt::format("K = {}", experts));
    generating.head.push_back(fmt::format("K = {}", experts));
    for (std::size_t m = 0; m < played.entries.size(); ++m) {
      const auto beyond = suite::minus(played.entries[m].losses, played.generating);
      const auto [mean, std] = stats::summarize(beyond);
      pool["methods"][m]["generating_path_regret"] = {{"mean", mean}, {"std", std}};
      if (exact.rows.size() <= m) {
        exact.rows.push_back({all[m].name});
        generating.rows.push_back({all[m].name});
      }
      exact.rows[m].push_back(mean_and_deviation(all[m].values));
      generating.rows[m].push_back(mean_and_deviation(beyond));
    }
    const stats::Bootstrap bootstrap = bootstrap_for(played);
    const std::string featured = config.featured();
    pool["comparisons"] = ordered_json::array();
    for (const auto& other : all) {
      if (other.name == featured) continue;
      pool["comparisons"].push_back(
          paired_json(featured, other.name,
                      stats::compare(find(all, featured)->values, other.values, bootstrap)));
    }
    result.json["pools"].push_back(std::move(pool));
  }
  result.tables.emplace_back("scaling", std::move(exact));
  result.tables.emplace_back("scaling-generating-path", std::move(generating));
  return result;
}

}  // namespace pcgs::studies
