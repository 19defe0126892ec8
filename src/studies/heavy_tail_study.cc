// The robustness study: the heavy-tail family over a grid of tail weights and jump probabilities.
#include <fmt/format.h>

#include "stats/summary.h"
#include "studies/regrets.h"
#include "studies/study.h"

namespace pcgs::studies {

using nlohmann::ordered_json;

namespace {

constexpr double kDf[] = {2, 3, 5};
constexpr double kJumpProbability[] = {0, 0.03, 0.06};
constexpr const char* kBaseline = "genshare";

}  // namespace

StudyResult heavy_tail_study(const StudyConfig& config, const io::Monitor& monitor) {
  const std::string featured = config.featured();
  const io::Advance advance =
      monitor("heavy-tail study", std::size(kDf) * std::size(kJumpProbability) * config.sequences);
  StudyResult result;
  result.json = config_json(config);
  result.json["cells"] = ordered_json::array();

  io::TextTable means{
      fmt::format("Heavy tails and jumps: dynamic regret (oracle with {} switches), mean "
                  "over {} sequences",
                  config.switches, config.sequences),
      {"df", "jumps"},
      {}};
  io::TextTable improvement{
      fmt::format("Heavy tails and jumps: mean improvement of {} over {}, with its "
                  "95 % interval",
                  featured, kBaseline),
      {"df \\ jump probability"},
      {}};
  for (const double p : kJumpProbability) improvement.head.push_back(fmt::format("{:.2f}", p));
  bool comparable = false;
  for (const double df : kDf) {
    std::vector<std::string> improvements = {fmt::format("{:.0f}", df)};
    for (const double p : kJumpProbability) {
      auto tournament =
          config.tournament(fmt::format("heavy-tail{{df={},jump_probability={}}}", df, p));
      tournament.finished_one = [&] { advance(1); };
      const suite::Tournament played = suite::play_tournament(tournament);
      const auto all = regrets(played);
      ordered_json cell = {{"df", df}, {"jump_probability", p}, {"oracle", played.oracle}};
      cell["methods"] = regrets_json(all);
      cell["comparisons"] = ordered_json::array();

      std::vector<std::string> row = {fmt::format("{:.0f}", df), fmt::format("{:.2f}", p)};
      for (const auto& one : all) {
        if (means.rows.empty()) means.head.push_back(one.name);
        row.push_back(fmt::format("{:.2f}", stats::summarize(one.values).mean));
      }
      means.rows.push_back(std::move(row));

      const stats::Bootstrap bootstrap = bootstrap_for(played);
      const auto& ours = find(all, featured)->values;
      for (const auto& other : all) {
        if (other.name == featured) continue;
        const auto paired = stats::compare(ours, other.values, bootstrap);
        cell["comparisons"].push_back(paired_json(featured, other.name, paired));
        if (other.name != kBaseline) continue;
        comparable = true;
        improvements.push_back(fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", paired.mean_improvement,
                                           paired.ci_low, paired.ci_high));
      }
      result.json["cells"].push_back(std::move(cell));
    }
    improvement.rows.push_back(std::move(improvements));
  }
  result.tables.emplace_back("heavy-tail", std::move(means));
  if (comparable) result.tables.emplace_back("heavy-tail-improvement", std::move(improvement));
  return result;
}

}  // namespace pcgs::studies
