// The robustness study: the heavy-tail family over a grid of tail weights and jump probabilities.
#include <fmt/format.h>

#include "studies/regrets.h"
#include "studies/study.h"
#include "studies/study_tables.h"

namespace pcgs::studies {

namespace {

constexpr double kDf[] = {2, 3, 5};
constexpr double kJumpProbability[] = {0, 0.03, 0.06};
constexpr const char* kBaseline = "genshare";

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
      auto comparisons = against_others(methods, config.featured());
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
  io::TextTable improvement{fmt::format("Heavy tails and jumps: mean improvement of {} over {}, "
                                        "with its 95 % interval",
                                        config.featured, kBaseline),
                            {"df \\ jump probability"},
                            {}};
  bool comparable = false;
  for (const auto& cell : study.cells) {
    const std::string df = fmt::format("{:.0f}", cell.df);
    const std::string jumps = fmt::format("{:.2f}", cell.jump_probability);
    if (means.rows.empty()) {
      for (const auto& method : cell.methods) means.head.push_back(method.name);
    }
    auto& row = means.rows.emplace_back(std::vector{df, jumps});
    for (const auto& method : cell.methods) row.push_back(fmt::format("{:.2f}", method.mean));

    if (improvement.rows.empty() || improvement.rows.back()[0] != df) {
      improvement.rows.push_back({df});
    }
    if (improvement.rows.size() == 1) improvement.head.push_back(jumps);
    const auto* pair = find_pair(cell.comparisons, config.featured, kBaseline);
    if (pair == nullptr) continue;
    comparable = true;
    improvement.rows.back().push_back(fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]",
                                                  pair->paired.mean_improvement,
                                                  pair->paired.ci_low, pair->paired.ci_high));
  }
  StudyTables out{{{"heavy-tail", std::move(means)}}};
  if (comparable) out.tables.emplace_back("heavy-tail-improvement", std::move(improvement));
  return out;
}

}  // namespace pcgs::studies
