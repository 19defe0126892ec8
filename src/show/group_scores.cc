#include "show/group_scores.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "run/level_scores.h"
#include "show/drawn.h"
#include "show/headline.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::QuantileResult;

constexpr std::size_t kRowsShown = 200, kBarsShown = 40;

// Series, or values of a column.
struct Groups {
  struct One {
    std::vector<std::string> key;
    const QuantileResult::Scores* scores;
  };
  std::string id, name;                 // of the table and the chart, of the choice
  std::vector<std::string> columns;     // that the key is made of
  std::vector<std::string> json_names;  // where the parts of the key stand in the JSON
  std::vector<One> all;
};

std::vector<Groups> groups_of(const QuantileResult& result) {
  std::vector<Groups> out;
  for (const auto& column : result.by) {
    Groups groups{fmt::format("by-{}", out.size() + 1), column, {column}, {"value"}, {}};
    for (const auto& one : result.values) {
      if (one.column == column) groups.all.push_back({{one.value}, &one.scores});
    }
    if (!groups.all.empty()) out.push_back(std::move(groups));
  }
  Groups series{"series", "series", result.by, {}, {}};
  for (std::size_t i = 0; i < result.by.size(); ++i) {
    series.json_names.push_back(fmt::format("key.{}", i));
  }
  for (const auto& one : result.series) series.all.push_back({one.key, &one.scores});
  out.push_back(std::move(series));
  return out;
}

const QuantileResult::Other* find(const QuantileResult::Scores& scores, const std::string& name) {
  const auto at = std::ranges::find(scores.others, name, &QuantileResult::Other::name);
  return at == scores.others.end() ? nullptr : &*at;
}

// ---- The table ----------------------------------------------------------------------------------

// The intervals of all groups are the same.
const QuantileResult::Shape* first_shape(const Groups& groups) {
  for (const auto& one : groups.all) {
    if (one.scores->shape) return &*one.scores->shape;
  }
  return nullptr;
}

std::vector<Table::Column> head_of(const Groups& groups, const std::string& measure) {
  std::vector<Table::Column> head;
  for (std::size_t i = 0; i < groups.columns.size(); ++i) {
    head.push_back({groups.columns[i], groups.json_names[i]});
  }
  head.insert(head.end(), {{"rounds", "others.0.rounds"}, {measure, "score"}});
  if (const auto* shape = first_shape(groups)) {
    head.insert(
        head.end(),
        {{"width", "shape.width"}, {"too high", "shape.above"}, {"too low", "shape.below"}});
    // Their JSON names hold a dot, which is what separates the steps of a key.
    for (const auto& [name, held] : usual_held(*shape)) {
      head.push_back({fmt::format("{:g} %", 100 * std::stod(name))});
    }
  }
  head.insert(head.end(), {{"linear pool", "others.0.score"},
                           {"beside it", "beside_equal_weights.difference"},
                           {"quantile mean", "others.1.score"},
                           {"beside it", "others.1.difference"},
                           {"best model", "beside_best.name"},
                           {"its score"},
                           {"beside it", "beside_best.difference"}});
  return head;
}

std::vector<Cell> row_of(const Groups::One& one, std::size_t intervals) {
  const auto& scores = *one.scores;
  std::vector<Cell> row;
  for (const auto& part : one.key) row.push_back({part});
  row.push_back(scores.others.empty() ? Cell{"none"} : whole(scores.scored()));
  row.push_back(error_cell(scores.score));
  const std::size_t before_shape = row.size();
  if (scores.shape) {
    for (const auto& part : {scores.shape->width, scores.shape->above, scores.shape->below}) {
      row.push_back(error_cell(part));
    }
    for (const auto& [name, held] : usual_held(*scores.shape)) {
      row.push_back({fmt::format("{:.0f} %", 100 * held), fmt::format("{}", held)});
    }
  }
  if (intervals > 0) row.resize(before_shape + intervals, Cell{"none"});
  const auto score = [](const QuantileResult::Other* other) {
    return other == nullptr ? Cell{"none"} : error_cell(other->score);
  };
  const auto difference = [](const std::optional<double>& x) { return number(x, "{:+.1f} %"); };
  const auto* mean = find(scores, compare::kQuantileMean);
  row.push_back(score(find(scores, compare::kLinearPool)));
  row.push_back(scores.beside_equal ? difference(scores.beside_equal->difference) : Cell{"none"});
  row.push_back(score(mean));
  row.push_back(mean == nullptr ? Cell{"none"} : difference(mean->difference));
  const auto& best = scores.beside_best;
  row.push_back({best ? best->name : "none"});
  row.push_back(best ? score(find(scores, best->name)) : Cell{"none"});
  row.push_back(best ? difference(best->difference) : Cell{"none"});
  return row;
}

Table table_of(const Groups& groups, const std::string& measure) {
  Table table;
  table.id = groups.id + "-table";
  table.caption = fmt::format(
      "{} by {}; its parts; how many outcomes central intervals held; and the combination beside "
      "others on the rounds of both",
      measure, groups.name);
  if (groups.all.size() > kRowsShown) {
    table.caption += fmt::format(": {} of {}; results.json of --out, and --json, have all",
                                 kRowsShown, groups.all.size());
  }
  table.head = head_of(groups, measure);
  const auto* shape = first_shape(groups);
  const std::size_t intervals = shape == nullptr ? 0 : 3 + usual_held(*shape).size();
  for (const auto& one : groups.all) {
    if (table.rows.size() == kRowsShown) break;
    table.rows.push_back(row_of(one, intervals));
  }
  return table;
}

// ---- The chart ----------------------------------------------------------------------------------

struct Bars {
  struct Part {
    std::string name;
    std::vector<double> share, score;  // [names] relative to the linear pool, and as it is
  };
  std::vector<std::string> names;
  std::vector<Part> parts;
  std::vector<std::string> with_best, best_names;
  std::vector<double> best;  // [with_best] the best model's score relative to the linear pool
};

// Scores of a country and of a county cannot share an axis; relative to what anybody has who learns
// nothing they can. Groups without scores are left out.
Bars bars_of(const Groups& groups) {
  Bars bars;
  bars.parts = {{"width", {}, {}}, {"too high", {}, {}}, {"too low", {}, {}}};
  for (const auto& [key, scores] : groups.all) {
    const auto* pool = find(*scores, compare::kLinearPool);
    if (!scores->shape || pool == nullptr || !pool->score || !(*pool->score > 0)) continue;
    const auto& shape = *scores->shape;
    if (!shape.width || !shape.above || !shape.below) continue;
    bars.names.push_back(fmt::format("{}", fmt::join(key, ", ")));
    const double values[] = {*shape.width, *shape.above, *shape.below};
    for (std::size_t p = 0; p < 3; ++p) {
      bars.parts[p].score.push_back(values[p]);
      bars.parts[p].share.push_back(values[p] / *pool->score);
    }
    // It may have forecast a part of the rounds only: beside the combination on those, which stands
    // beside the pool on all.
    if (!scores->beside_best || !scores->score) continue;
    const double ratio = 1 + scores->beside_best->difference / 100;
    if (!(ratio > 0)) continue;
    bars.with_best.push_back(bars.names.back());
    bars.best_names.push_back(scores->beside_best->name);
    bars.best.push_back(*scores->score / *pool->score / ratio);
  }
  return bars;
}

Chart chart_of(const Groups& groups, const Bars& bars, const std::string& measure) {
  Chart chart;
  chart.uses = "score_parts";
  chart.id = groups.id + "-chart";
  chart.title = fmt::format("{} by {}, beside equal weights", measure, groups.name);
  chart.note =
      "What the score of the combination is made of, relative to that of the linear pool with "
      "equal "
      "weights, the dashed line: shorter bars are better. Diamonds are the best model of each.";
  chart.height = static_cast<int>(26 * bars.names.size());
  std::vector<std::string> series;
  std::vector<double> whole(bars.names.size());
  for (std::size_t p = 0; p < bars.parts.size(); ++p) {
    const auto& part = bars.parts[p];
    series.push_back(part.name);
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] += part.share[i];
    chart.groups.push_back({{"part", part.name},
                            {"order", p},
                            {"name", bars.names},
                            {"value", drawn(part.share)},
                            {"score", drawn(part.score)}});
  }
  const auto [low, high] = std::ranges::minmax_element(whole);
  const auto name_at = [&](auto at) {
    return bars.names[static_cast<std::size_t>(at - whole.begin())];
  };
  chart.alternative = fmt::format(
      "{} of the combination relative to that of the linear pool, by {}: from {} ({}) to {} ({}).",
      measure, groups.name, results::error_text(*low), name_at(low), results::error_text(*high),
      name_at(high));
  const ordered_json best = {
      {"name", bars.with_best}, {"model", bars.best_names}, {"value", drawn(bars.best)}};
  const ordered_json pool = {{"value", 1}};
  chart.datasets = {{"best", ordered_json::array({best})}, {"pool", ordered_json::array({pool})}};
  chart.values = {
      {"names", bars.names}, {"measure", measure}, {"series", series}, {"palette", "score_parts"}};
  return chart;
}

std::vector<Block> blocks_of(const Groups& groups, const std::string& measure) {
  std::vector<Block> blocks;
  if (groups.all.size() <= kBarsShown) {
    const Bars bars = bars_of(groups);
    if (bars.names.size() > 1) blocks.emplace_back(chart_of(groups, bars, measure));
  }
  blocks.emplace_back(table_of(groups, measure));
  return blocks;
}

}  // namespace

std::vector<Block> group_blocks(const QuantileResult& result) {
  if (result.by.empty()) return {};
  const auto all = groups_of(result);
  if (all.size() == 1) return blocks_of(all.front(), result.answer.measure);
  Choice choice{"scores-by", "Scores by", {}};
  for (const auto& groups : all) {
    choice.options.push_back({groups.name, blocks_of(groups, result.answer.measure)});
  }
  std::vector<Block> blocks;
  blocks.emplace_back(std::move(choice));
  return blocks;
}

}  // namespace pcgs::report
