// Forecasts that are distributions: over time, their scores, what those are made of, and each series.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "run/quantiles.h"
#include "show/curves.h"
#include "show/forecast_answer.h"
#include "show/run_result.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::QuantileResult;
using results::ScoreGroups;

constexpr std::size_t kRowsShown = 200, kBarsShown = 40;

Table scores_table(const QuantileResult& result) {
  Table table = results::errors_table(result.answer);
  table.id = "scores-table";
  table.caption = fmt::format(
      "{}, twice the mean pinball loss over the levels{}; the difference is the combination's to "
      "this one, on the rounds of both",
      result.answer.measure, result.scale == "log1p" ? ", of ln(1 + x)" : "");
  return table;
}

Table shapes_table(const QuantileResult& result) {
  Table table;
  table.id = "shapes-table";
  table.caption =
      "What scores are made of: the width of intervals, and how far they lay above and below what "
      "happened; and how many outcomes central intervals held";
  table.head = shape_head(result.shapes.front(), "", true);
  table.head.insert(table.head.begin(), {"forecaster", "name"});
  for (const auto& shape : result.shapes) {
    auto& row = table.rows.emplace_back(shape_cells(shape, true));
    row.insert(row.begin(), {shape.name});
  }
  return table;
}

// The combination beside the best model and the linear pool with equal weights.
std::vector<const QuantileResult::Shape*> compared_shapes(const QuantileResult& result) {
  std::vector<const QuantileResult::Shape*> out = {&result.shapes.front()};
  for (const auto* beside : {&result.answer.beside_best, &result.answer.beside_equal}) {
    for (const auto& shape : result.shapes) {
      if (*beside && shape.name == (*beside)->name) out.push_back(&shape);
    }
  }
  return out;
}

Chart coverage_chart(const QuantileResult& result) {
  Chart chart{.id = "coverage",
              .title = "Outcomes inside central intervals",
              .note =
                  "How many outcomes the interval held that should hold so many. Below the "
                  "dashed line intervals are too narrow, above it too wide.",
              .alternative = "",
              .uses = "coverage",
              .height = 300};
  std::vector<std::string> series;
  for (const auto* shape : compared_shapes(result)) {
    std::vector<double> asked, held;
    for (const auto& [name, share] : shape->held.by_name) {
      asked.push_back(std::stod(name));
      held.push_back(share);
    }
    if (asked.empty()) continue;
    series.push_back(shape == &result.shapes.front() ? "combination" : shape->name);
    chart.groups.push_back(
        {{"asked", drawn(asked)}, {"held", drawn(held)}, {"series", series.back()}});
    chart.alternative +=
        fmt::format("{}{}: {:g} % held {:.0f} %.", chart.alternative.empty() ? "" : " ",
                    series.back(), 100 * asked.front(), 100 * held.front());
  }
  chart.datasets = {{"exact", ordered_json::array({{{"asked", {0, 1}}, {"held", {0, 1}}}})}};
  chart.values = {{"series", series}, {"palette", "forecasters"}};
  return chart;
}

// Where outcomes fell among the quantiles: all bars at 1 if the distributions are right.
Chart pit_chart(const QuantileResult& result) {
  Chart chart{
      .id = "pit",
      .title = "Where outcomes fell",
      .note =
          "Between neighbouring quantiles of the combination, relative to how many should have "
          "fallen there. High bars at both ends: distributions are too narrow; high bars on "
          "the right: forecasts are too low.",
      .alternative = "",
      .uses = "pit",
      .height = 220};
  std::size_t all = 0;
  for (const std::size_t n : result.between) all += n;
  std::vector<double> from, to, counts, relative;
  for (std::size_t i = 0; i < result.between.size(); ++i) {
    from.push_back(i == 0 ? 0 : result.levels[i - 1]);
    to.push_back(i < result.levels.size() ? result.levels[i] : 1);
    counts.push_back(static_cast<double>(result.between[i]));
    relative.push_back(counts.back() / ((to.back() - from.back()) * static_cast<double>(all)));
  }
  chart.alternative = fmt::format(
      "{:.1f} % of outcomes lay below the lowest quantile, {:.1f} % above "
      "the highest.",
      100 * counts.front() / static_cast<double>(all),
      100 * counts.back() / static_cast<double>(all));
  chart.groups.push_back({{"from", drawn(from)},
                          {"to", drawn(to)},
                          {"count", drawn(counts)},
                          {"relative", drawn(relative)}});
  return chart;
}

// Scores by group, relative to the linear pool.
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
Bars bars_of(const ScoreGroups& groups) {
  Bars bars;
  bars.parts = {{"width", {}, {}}, {"too high", {}, {}}, {"too low", {}, {}}};
  for (const auto& [key, scores] : groups.all) {
    const auto* pool = find_other(*scores, compare::kLinearPool);
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

Chart chart_of(const ScoreGroups& groups, const Bars& bars, const std::string& measure) {
  Chart chart{
      .id = groups.id + "-chart",
      .title = fmt::format("{} by {}, beside equal weights", measure, groups.name),
      .note =
          "What the score of the combination is made of, relative to that of the linear pool "
          "with equal weights, the dashed line: shorter bars are better. Diamonds are the best "
          "model of each.",
      .alternative = "",
      .uses = "score_parts",
      .height = static_cast<int>(26 * bars.names.size())};
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

std::vector<Block> blocks_of(const ScoreGroups& groups, const std::string& measure) {
  std::vector<Block> blocks;
  if (groups.all.size() <= kBarsShown) {
    const Bars bars = bars_of(groups);
    if (bars.names.size() > 1) blocks.emplace_back(chart_of(groups, bars, measure));
  }
  Table table = group_table(groups, measure);
  table.id = groups.id + "-table";
  table.caption = fmt::format(
      "{} by {}; its parts; how many outcomes central intervals held; and the combination beside "
      "others on the rounds of both",
      measure, groups.name);
  if (groups.all.size() > kRowsShown) {
    table.caption += fmt::format(": {} of {}; results.json of --out, and --json, have all",
                                 kRowsShown, groups.all.size());
    table.rows.resize(kRowsShown);
  }
  blocks.emplace_back(std::move(table));
  return blocks;
}

std::vector<Block> group_blocks(const QuantileResult& result) {
  const auto all = score_groups(result);
  if (all.size() == 1) return blocks_of(all.front(), result.answer.measure);
  Choice choice{"scores-by", "Scores by", {}};
  for (const auto& groups : all) {
    choice.options.push_back({groups.name, blocks_of(groups, result.answer.measure)});
  }
  return {std::move(choice)};
}

std::vector<Block> quantile_summary(const QuantileResult& result) {
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{headline(result.answer), true});
  if (const std::string sure = sureness(result.answer); !sure.empty()) {
    blocks.emplace_back(Paragraph{sure});
  }
  if (auto figures = error_figures(result.answer); !figures.all.empty()) {
    blocks.emplace_back(std::move(figures));
  }
  blocks.emplace_back(scores_table(result));
  return blocks;
}

std::vector<Section> quantile_sections(const QuantileResult& result, const RoundCharts* charts) {
  std::vector<Section> sections;
  if (charts != nullptr && !charts->fans.empty()) {
    sections.push_back({"fans", "Forecasts", charts->fans});
  }
  Section shapes{"shapes", "Width and coverage", {}};
  if (result.answer.errors.front().rounds > 0) shapes.blocks.emplace_back(pit_chart(result));
  if (!result.shapes.empty()) {
    if (!result.shapes.front().held.by_name.empty()) {
      shapes.blocks.emplace_back(coverage_chart(result));
    }
    shapes.blocks.emplace_back(shapes_table(result));
  }
  if (!shapes.blocks.empty()) sections.push_back(std::move(shapes));
  if (!result.answer.weights_now.by_name.empty()) {
    sections.push_back({"weights", "Weights", {weights_chart(result.answer)}});
  }
  if (!result.by.empty()) {
    sections.push_back({"series", "Scores by series", group_blocks(result)});
  }
  return sections;
}

}  // namespace

void show_quantiles(const QuantileResult& result, const Shown& shown, PageParts& page) {
  page.subtitle =
      fmt::format("{} models with {} quantiles each, {} rounds of {} series", result.experts.size(),
                  result.levels.size(), result.rounds, result.series.size());
  page.add(quantile_summary(result));
  page.add(quantile_sections(result, shown.charts));
}

}  // namespace pcgs::report
