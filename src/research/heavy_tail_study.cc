// The robustness study: the heavy-tail family over a grid of tail weights and jump probabilities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "research/study.h"
#include "research/study_page.h"

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

// The robustness study: a grid of tail weights and jump probabilities.

namespace pcgs::report {

namespace {

using results::find_method;
using results::find_pair;
using results::HeavyTailStudy;

std::string opponent_of(const HeavyTailStudy& study, const std::string& ours) {
  if (ours != kTuned && find_method(study.cells.front().methods, kTuned) != nullptr) return kTuned;
  const auto methods = method_names(study.cells);
  return methods.front() != ours ? methods.front() : methods.back();
}

std::size_t place_of(const std::string& name, std::vector<std::string>& names) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

// Nothing where this method was compared with no other.
std::optional<Chart> grid_chart(const HeavyTailStudy& study, const std::string& ours) {
  const std::string opponent = opponent_of(study, ours);
  HeatMap map;
  for (const auto& cell : study.cells) {
    place_of(fmt::format("{:g}", cell.df), map.rows);
    place_of(fmt::format("{:g}", cell.jump_probability), map.columns);
  }
  map.cells.assign(map.rows.size() * map.columns.size(), {std::nan(""), "", ""});
  std::vector<double> improvements;
  for (const auto& cell : study.cells) {
    const auto* pair = find_pair(cell.comparisons, ours, opponent);
    if (pair == nullptr) continue;
    const double better = pair->paired.mean_improvement;
    improvements.push_back(better);
    const std::size_t row = place_of(fmt::format("{:g}", cell.df), map.rows);
    const std::size_t column = place_of(fmt::format("{:g}", cell.jump_probability), map.columns);
    map.cells[row * map.columns.size() + column] = {
        better, fmt::format("{:+.1f}", better),
        fmt::format("[{:.1f}, {:.1f}]", pair->paired.ci_low, pair->paired.ci_high)};
  }
  if (improvements.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(improvements.begin(), improvements.end());
  const double most = std::max({std::abs(*low), std::abs(*high), 1e-9});
  Chart chart = heat_map(map, -most, most, "df", "jump");
  chart.values.update({{"row_title", "degrees of freedom"},
                       {"column_title", "probability of a jump"},
                       {"column_axis", "bottom"},
                       {"axis", "less regret"},
                       {"size", 15},
                       {"up", -6}});
  chart.id = ours == study.config.featured ? "grid" : "grid-recipe";
  chart.title = fmt::format("Improvement of {} over {}", ours, opponent);
  chart.note = fmt::format(
      "Mean regret that {} saves in each cell of the grid: fewer degrees of freedom mean heavier "
      "tails. Below it, its 95 % interval.",
      ours);
  chart.alternative = fmt::format("{} saves between {:.1f} and {:.1f} over the {} cells.", ours,
                                  *low, *high, improvements.size());
  chart.height = 300;
  return chart;
}

Section heavy_tail_section(const HeavyTailStudy& study) {
  Section section{"heavy-tail", "Robustness: heavy tails and jumps", {}};
  for (const auto& method : compared_methods(study.config)) {
    if (auto chart = grid_chart(study, method)) section.blocks.emplace_back(std::move(*chart));
  }
  const auto methods = method_names(study.cells);
  Table table;
  table.id = "grid-means";
  table.caption = "Dynamic regret, mean; " + setting(study.config);
  table.head = {{"cell"}};
  for (const auto& method : methods) table.head.push_back({method, method});
  for (const auto& cell : study.cells) {
    auto& row = table.rows.emplace_back();
    row.push_back({fmt::format("df {:g}, jumps {:g}", cell.df, cell.jump_probability)});
    for (const auto& name : methods) {
      const auto* method = find_method(cell.methods, name);
      row.push_back(method != nullptr ? number(method->mean, "{:.2f}") : Cell{""});
    }
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace

void show_heavy_tail(const HeavyTailStudy& study, const Shown& shown, PageParts& page) {
  page.title = shown.result.kind().name;
  page.add(heavy_tail_section(study));
}

}  // namespace pcgs::report
