// The robustness study: the heavy-tail family over a grid of tail weights and jump probabilities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "research/study.h"

namespace pcgs::studies {

using results::find_method;
using results::find_pair;
using results::Part;

namespace {

constexpr const char* kBaseline = "genshare";

// Without rows where the baseline does not play.
io::TextTable improvement_table(const StudyResult& study, const std::string& method) {
  io::TextTable table{fmt::format("Heavy tails and jumps: mean improvement of {} over {}, with its "
                                  "95 % interval",
                                  method, kBaseline),
                      {"df \\ jump probability"},
                      {}};
  for (const Part& part : study.parts) {
    const auto* pair = find_pair(part.comparisons, method, kBaseline);
    if (pair == nullptr) continue;
    const std::string df = fmt::format("{:.0f}", part.cell->df);
    if (table.rows.empty() || table.rows.back()[0] != df) table.rows.push_back({df});
    if (table.rows.size() == 1) {
      table.head.push_back(fmt::format("{:.2f}", part.cell->jump_probability));
    }
    const auto& paired = pair->paired;
    table.rows.back().push_back(fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", paired.mean_improvement,
                                            paired.ci_low, paired.ci_high));
  }
  return table;
}

std::string opponent_of(const StudyResult& study, const std::string& ours) {
  if (ours != kTunedFixedShare &&
      find_method(study.parts.front().methods, kTunedFixedShare) != nullptr) {
    return kTunedFixedShare;
  }
  const auto methods = method_names(study.parts);
  return methods.front() != ours ? methods.front() : methods.back();
}

std::size_t place_of(double x, std::vector<std::string>& names) {
  const std::string name = fmt::format("{:g}", x);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

// Nothing where this method was compared with no other.
std::optional<report::Chart> grid_chart(const StudyResult& study, const std::string& ours) {
  const std::string opponent = opponent_of(study, ours);
  HeatMap map;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // [parts] row and column
  for (const Part& part : study.parts) {
    places.emplace_back(place_of(part.cell->df, map.rows),
                        place_of(part.cell->jump_probability, map.columns));
  }
  map.cells.assign(map.rows.size() * map.columns.size(), {std::nan(""), "", ""});
  std::vector<double> compared;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto* pair = find_pair(study.parts[i].comparisons, ours, opponent);
    if (pair == nullptr) continue;
    const double better = compared.emplace_back(pair->paired.mean_improvement);
    map.cells[places[i].first * map.columns.size() + places[i].second] = {
        better, fmt::format("{:+.1f}", better),
        fmt::format("[{:.1f}, {:.1f}]", pair->paired.ci_low, pair->paired.ci_high)};
  }
  if (compared.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(compared.begin(), compared.end());
  const double most = std::max({std::abs(*low), std::abs(*high), 1e-9});
  report::Chart chart = heat_map(map, -most, most, "df", "jump");
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
                                  *low, *high, compared.size());
  chart.height = 300;
  return chart;
}

}  // namespace

void play_heavy_tail(const StudyConfig& config, const io::Monitor& monitor, StudyResult& study) {
  for (const double df : {2.0, 3.0, 5.0}) {
    for (const double jump_probability : {0.0, 0.03, 0.06}) {
      study.parts.push_back({.cell = Part::Cell{df, jump_probability}});
    }
  }
  play_parts(config, monitor, study);
}

StudyTables heavy_tail_tables(const StudyResult& study) {
  const auto& config = study.config;
  io::TextTable means{fmt::format("Heavy tails and jumps: dynamic regret (oracle with {} "
                                  "switches), mean over {} sequences",
                                  config.switches, config.sequences),
                      {"df", "jumps"},
                      {}};
  for (const auto& method : study.parts.front().methods) means.head.push_back(method.name);
  io::TextTable unclipped = means;
  unclipped.caption =
      "Heavy tails and jumps: the same on the losses before they were clipped to [0,1], against "
      "the oracle of those";
  for (const Part& part : study.parts) {
    auto& row = means.rows.emplace_back(std::vector{
        fmt::format("{:.0f}", part.cell->df), fmt::format("{:.2f}", part.cell->jump_probability)});
    auto& raw = unclipped.rows.emplace_back(row);
    for (const auto& method : part.methods) {
      row.push_back(fmt::format("{:.2f}", method.mean));
      raw.push_back(method.unclipped ? fmt::format("{:.2f}", method.unclipped->mean) : "-");
    }
  }
  StudyTables out{
      {{"heavy-tail", std::move(means)}, {"heavy-tail-unclipped", std::move(unclipped)}}};
  for (const auto& method : compared_methods(config)) {
    if (auto improvement = improvement_table(study, method); !improvement.rows.empty()) {
      out.tables.emplace_back(
          method == config.featured ? "heavy-tail-improvement" : "heavy-tail-improvement-recipe",
          std::move(improvement));
    }
  }
  return out;
}

void show_heavy_tail(const StudyResult& study, report::PageParts& page) {
  report::Section section{"heavy-tail", "Robustness: heavy tails and jumps", {}};
  for (const auto& method : compared_methods(study.config)) {
    if (auto chart = grid_chart(study, method)) section.blocks.emplace_back(std::move(*chart));
  }
  const auto methods = method_names(study.parts);
  show::Table table;
  table.id = "grid-means";
  table.caption = "Dynamic regret, mean; " + setting(study.config);
  table.head = {{"cell"}};
  for (const auto& method : methods) table.head.push_back({method, method});
  for (const Part& part : study.parts) {
    auto& row = table.rows.emplace_back();
    row.push_back({fmt::format("df {:g}, jumps {:g}", part.cell->df, part.cell->jump_probability)});
    for (const auto& name : methods) {
      const auto* method = find_method(part.methods, name);
      row.push_back(method != nullptr ? show::number(method->mean, "{:.2f}") : show::Cell{});
    }
  }
  section.blocks.emplace_back(std::move(table));
  page.add(std::move(section));
}

}  // namespace pcgs::studies
