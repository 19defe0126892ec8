// Forecasts that are distributions: over time, their scores, what those are made of, and each series.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "show/drawn.h"
#include "show/fan_charts.h"
#include "show/forecaster_charts.h"
#include "show/group_scores.h"
#include "show/headline.h"
#include "show/quantile_result.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::QuantileResult;

Table scores_table(const QuantileResult& result) {
  Table table;
  table.id = "scores-table";
  table.caption = fmt::format(
      "{}, twice the mean pinball loss over the levels{}; the difference is the combination's to "
      "this one, on the rounds of both",
      result.answer.measure, result.scale == "log1p" ? ", of ln(1 + x)" : "");
  table.head = {{"forecaster", "name"},
                {result.answer.measure, "loss"},
                {"combination beside it", "difference"},
                {"rounds", "rounds"}};
  for (const auto& line : result.answer.errors) {
    table.rows.push_back({{line.name + (line.kind == "method" ? " (the combination)" : "")},
                          error_cell(line.loss),
                          line.difference ? number(line.difference, "{:+.1f} %") : Cell{""},
                          whole(line.rounds)});
  }
  return table;
}

Table shapes_table(const QuantileResult& result) {
  Table table;
  table.id = "shapes-table";
  table.caption =
      "What scores are made of: the width of intervals, and how far they lay above and below what "
      "happened; and how many outcomes central intervals held";
  table.head = {
      {"forecaster", "name"}, {"width", "width"}, {"too high", "above"}, {"too low", "below"}};
  const auto& intervals = result.shapes.front().held.by_name;
  for (const auto& [name, held] : intervals) {
    table.head.push_back({fmt::format("{:g} %", 100 * std::stod(name)), "held." + name});
  }
  for (const auto& shape : result.shapes) {
    auto& row = table.rows.emplace_back();
    row.push_back({shape.name});
    for (const auto& part : {shape.width, shape.above, shape.below}) {
      row.push_back(error_cell(part));
    }
    for (const auto& [name, held] : shape.held.by_name) {
      row.push_back({fmt::format("{:.0f} %", 100 * held), fmt::format("{}", held)});
    }
  }
  return table;
}

// The combination beside the best model and the linear pool with equal weights.
std::vector<const QuantileResult::Shape*> compared_shapes(const QuantileResult& result) {
  std::vector<const QuantileResult::Shape*> out = {&result.shapes.front()};
  const auto add = [&](const std::optional<results::Difference>& beside) {
    if (!beside) return;
    for (const auto& shape : result.shapes) {
      if (shape.name == beside->name) out.push_back(&shape);
    }
  };
  add(result.answer.beside_best);
  add(result.answer.beside_equal);
  return out;
}

Chart coverage_chart(const QuantileResult& result) {
  Chart chart;
  chart.uses = "coverage";
  chart.id = "coverage";
  chart.title = "Outcomes inside central intervals";
  chart.note =
      "How many outcomes the interval held that should hold so many. Below the dashed line "
      "intervals are too narrow, above it too wide.";
  chart.height = 300;
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
  Chart chart;
  chart.uses = "pit";
  chart.id = "pit";
  chart.title = "Where outcomes fell";
  chart.note =
      "Between neighbouring quantiles of the combination, relative to how many should have fallen "
      "there. High bars at both ends: distributions are too narrow; high bars on the right: "
      "forecasts are too low.";
  chart.height = 220;
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

std::vector<Section> quantile_sections(const QuantileResult& result, const FanView* fans) {
  std::vector<Section> sections;
  if (fans != nullptr && !fans->fans.empty()) {
    sections.push_back({"fans", "Forecasts", fan_blocks(*fans)});
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
    Section weights{"weights", "Weights", {}};
    weights.blocks.emplace_back(weights_chart(result.answer));
    sections.push_back(std::move(weights));
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
  page.add(quantile_sections(result, shown.fans));
}

}  // namespace pcgs::report
