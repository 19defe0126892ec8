// The robustness study: the heavy-tail family over a grid of tail weights and jump probabilities.
#include <fmt/format.h>

#include "research/regrets.h"
#include "research/study.h"
#include "research/study_tables.h"

namespace pcgs::studies {

namespace {

constexpr double kDf[] = {2, 3, 5};
constexpr double kJumpProbability[] = {0, 0.03, 0.06};
constexpr const char* kBaseline = "genshare";

// No more than its rows' names where the baseline does not play.
io::TextTable improvement_table(const results::HeavyTailStudy& study, const std::string& method) {
  io::TextTable table{fmt::format("Heavy tails and jumps: mean improvement of {} over {}, with its "
                                  "95 % interval",
                                  method, kBaseline),
                      {"df \\ jump probability"},
                      {}};
  for (const auto& cell : study.cells) {
    const auto* pair = find_pair(cell.comparisons, method, kBaseline);
    if (pair == nullptr) continue;
    const std::string df = fmt::format("{:.0f}", cell.df);
    if (table.rows.empty() || table.rows.back()[0] != df) table.rows.push_back({df});
    if (table.rows.size() == 1) table.head.push_back(fmt::format("{:.2f}", cell.jump_probability));
    table.rows.back().push_back(fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]",
                                            pair->paired.mean_improvement, pair->paired.ci_low,
                                            pair->paired.ci_high));
  }
  return table;
}

}  // namespace

results::HeavyTailStudy heavy_tail_study(const StudyConfig& config, const io::Monitor& monitor) {
  const io::Advance advance =
      monitor("heavy-tail study", std::size(kDf) * std::size(kJumpProbability) * config.sequences);
  results::HeavyTailStudy study;
  study.config = config.summary();
  for (const double df : kDf) {
    for (const double p : kJumpProbability) {
      auto tournament =
          config.tournament(fmt::format("heavy-tail{{df={},jump_probability={}}}", df, p));
      tournament.finished_one = [&] { advance(1); };
      const suite::Tournament played = suite::play_tournament(tournament);
      auto methods = method_regrets(played);
      auto comparisons = against_others(methods, compared_methods(study.config));
      study.cells.push_back({{played.oracle, std::move(methods), std::move(comparisons)}, df, p});
    }
  }
  return study;
}

StudyTables tables_of(const results::HeavyTailStudy& study) {
  const auto& config = study.config;
  io::TextTable means{fmt::format("Heavy tails and jumps: dynamic regret (oracle with {} "
                                  "switches), mean over {} sequences",
                                  config.switches, config.sequences),
                      {"df", "jumps"},
                      {}};
  io::TextTable unclipped{
      "Heavy tails and jumps: the same on the losses before they were clipped to "
      "[0,1], against the oracle of those",
      {"df", "jumps"},
      {}};
  for (const auto& cell : study.cells) {
    if (means.rows.empty()) {
      for (const auto& method : cell.methods) means.head.push_back(method.name);
      unclipped.head = means.head;
    }
    auto& row = means.rows.emplace_back(
        std::vector{fmt::format("{:.0f}", cell.df), fmt::format("{:.2f}", cell.jump_probability)});
    auto& raw = unclipped.rows.emplace_back(row);
    for (const auto& method : cell.methods) {
      row.push_back(fmt::format("{:.2f}", method.mean));
      raw.push_back(method.unclipped ? fmt::format("{:.2f}", method.unclipped->mean) : "-");
    }
  }
  StudyTables out{
      {{"heavy-tail", std::move(means)}, {"heavy-tail-unclipped", std::move(unclipped)}}};
  for (const auto& method : compared_methods(config)) {
    if (auto improvement = improvement_table(study, method); improvement.head.size() > 1) {
      out.tables.emplace_back(
          method == config.featured ? "heavy-tail-improvement" : "heavy-tail-improvement-recipe",
          std::move(improvement));
    }
  }
  return out;
}

}  // namespace pcgs::studies
