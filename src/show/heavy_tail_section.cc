// The robustness study: a grid of tail weights and jump probabilities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "show/heat_map.h"
#include "show/sections.h"
#include "show/study_page.h"

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

}  // namespace

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

}  // namespace pcgs::report
