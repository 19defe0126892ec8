// Many series: the errors of all together, how the series differ, and a row for each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "show/curves.h"
#include "show/forecast_answer.h"
#include "show/sections.h"
#include "show/series_result.h"

namespace pcgs::report {

namespace {

using results::SeriesResult;

constexpr std::size_t kSeriesShown = 200;

// Of the combination beside the best model of each series that has one, in per cent.
std::vector<double> differences(const SeriesResult& result) {
  std::vector<double> out;
  for (const auto& one : result.series) {
    if (one.answer.beside_best) out.push_back(one.answer.beside_best->difference);
  }
  std::sort(out.begin(), out.end());
  return out;
}

double median(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

// Series to look after come first: those in which the combination is worse than their best model.
std::vector<const SeriesResult::One*> worst_first(const SeriesResult& result) {
  std::vector<const SeriesResult::One*> out;
  for (const auto& one : result.series) out.push_back(&one);
  const auto difference = [](const SeriesResult::One* one) {
    return one->answer.beside_best ? one->answer.beside_best->difference
                                   : -std::numeric_limits<double>::infinity();
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const auto* a, const auto* b) { return difference(a) > difference(b); });
  return out;
}

// How wide bars are, in per cent, so that there are not too many of them between two values.
double bar_width(double low, double high) {
  constexpr double kBars = 30;
  for (const double width : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
    if (high - low <= kBars * width) return width;
  }
  return 100;
}

Chart differences_chart(const std::vector<double>& sorted) {
  // A few wild series stand in the outermost bars, so that the others can be told apart.
  const auto at = [&](double share) {
    return std::clamp(
        sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))], -100.0,
        1000.0);
  };
  const double outside = sorted.size() < 100 ? 0 : 0.01;
  const double low = at(outside), high = at(1 - outside), width = bar_width(low, high);
  const double first = std::floor(low / width);
  std::vector<double> counts(static_cast<std::size_t>(std::floor(high / width) - first) + 1);
  for (const double x : sorted) {
    const double bar = std::floor(std::clamp(x, low, high) / width) - first;
    ++counts[static_cast<std::size_t>(bar)];
  }
  std::vector<double> from, to;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    from.push_back((first + static_cast<double>(i)) * width);
    to.push_back(from.back() + width);
  }
  Chart chart;
  chart.uses = "histogram";
  chart.id = "differences";
  chart.title = "Where the combination helps";
  chart.note =
      "How many series have which difference between the combination's error and that of their own "
      "best model: left of zero, the combination is better.";
  if (sorted.front() < from.front() || sorted.back() > to.back()) {
    chart.note += " What lies further out is counted in the outermost bars.";
  }
  chart.alternative =
      fmt::format("Differences of {} series: from {:+.1f} % to {:+.1f} %, in the median {:+.1f} %.",
                  sorted.size(), sorted.front(), sorted.back(), median(sorted));
  chart.height = 220;
  chart.groups.push_back({{"from", drawn(from)}, {"to", drawn(to)}, {"count", drawn(counts)}});
  return chart;
}

Table table_of(const SeriesResult& result) {
  auto shown = worst_first(result);
  shown.resize(std::min(shown.size(), kSeriesShown));
  Table table = series_rows(result, shown);
  table.id = "series-table";
  table.caption =
      "Each series, those first in which the combination does worst beside the best model";
  if (result.series.size() > kSeriesShown) {
    table.caption += fmt::format(": {} of {}; results.json of --out, and --json, have all",
                                 kSeriesShown, result.series.size());
  }
  // A phone shows the first ones.
  table.bring_forward({"beside_best.difference"});
  table.head[table.left].name = "beside the best model";
  return table;
}

std::vector<Block> series_summary(const SeriesResult& result) {
  const auto sorted = differences(result);
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{headline(result.answer), true});
  if (!sorted.empty()) {
    blocks.emplace_back(Paragraph{fmt::format(
        "Beside the best model of each series, which nobody knew before, it is better in {} of {} "
        "series; in the median series its error is {} that model's.",
        better_than_best(result), result.series.size(), results::difference_text(median(sorted)))});
  }
  Figures figures = error_figures(result.answer);
  figures.all.push_back({whole(better_than_best(result)),
                         fmt::format("of {} series in which the combination is better than their "
                                     "best model",
                                     result.series.size())});
  blocks.emplace_back(std::move(figures));
  add_errors(result.answer, blocks);
  return blocks;
}

Section series_section(const SeriesResult& result) {
  Section section{"series", "Series", {}};
  if (const auto sorted = differences(result); sorted.size() > 1) {
    section.blocks.emplace_back(differences_chart(sorted));
  }
  section.blocks.emplace_back(table_of(result));
  return section;
}

}  // namespace

void show_series(const SeriesResult& result, const Shown& /*shown*/, PageParts& page) {
  page.subtitle =
      fmt::format("{} series by {}, {} models, {} rounds together", result.series.size(),
                  fmt::join(result.by, ", "), result.experts.size(), result.rounds);
  page.add(series_summary(result));
  page.add(series_section(result));
}

}  // namespace pcgs::report
