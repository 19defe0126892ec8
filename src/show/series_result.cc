// Many series, each with a state of its own: the errors of all together, how the series differ, and a row
// for each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/json.h"
#include "data/text.h"
#include "show/curves.h"
#include "show/forecast_answer.h"
#include "show/kinds.h"
#include "show/run_result.h"
#include "show/sections.h"

namespace pcgs::results {

SeriesResult series_result(const Outcome& outcome) {
  SeriesResult out;
  const Problem& first = outcome.series.front().problem;
  out.by = outcome.by;
  out.experts = first.experts;
  out.answer = errors_answer(outcome.errors);
  for (const SeriesOutcome& one : outcome.series) {
    out.rounds += one.problem.rounds();
    auto answer = forecast_answer(one.problem, one.comparison, one.errors);
    out.answer.rounds_without_outcome += answer.rounds_without_outcome;
    out.series.push_back({one.key, one.problem.rounds(), std::move(answer)});
  }
  return out;
}

std::size_t better_than_best(const SeriesResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.series.begin(), result.series.end(), [](const SeriesResult::One& one) {
        return one.answer.beside_best && one.answer.beside_best->difference < 0;
      }));
}

void fields(Fields& f, SeriesResult::One& one) {
  f("key", one.key, "rounds", one.rounds);
  fields(f, one.answer);
}

void fields(Fields& f, SeriesResult& result) {
  f("by", result.by, "experts", result.experts, "rounds", result.rounds);
  fields(f, result.answer);
  f("series", result.series);
  f.require(!result.by.empty(), "by", "is empty");
  f.require(!result.series.empty(), "series", "is empty");
  f.require(std::all_of(result.series.begin(), result.series.end(),
                        [&](const auto& one) { return one.key.size() == result.by.size(); }),
            "series", "have keys of another length");
}

const Kind& SeriesResult::kind() {
  static const Kind kKind = make_kind<SeriesResult, report::show_series>(20);
  return kKind;
}

// ---- Text ---------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kInTerminal = 12, kOnPage = 200;

// A row for each of these series: how wrong it was, beside its best model, and its next forecast.
show::Table series_rows(const SeriesResult& result,
                        const std::vector<const SeriesResult::One*>& series) {
  const auto& measure = result.answer.measure;
  show::Table table;
  table.left = result.by.size();
  for (std::size_t i = 0; i < result.by.size(); ++i) {
    table.head.push_back({result.by[i], fmt::format("key.{}", i)});
  }
  table.head.insert(table.head.end(),
                    {{"rounds", "rounds"},
                     {measure, fmt::format("errors.0.{}", measured_column(result.answer).key)},
                     {"best model", "beside_best.name"},
                     {"beside it", "beside_best.difference"}});
  const bool coming = std::any_of(result.series.begin(), result.series.end(),
                                  [](const auto& one) { return !one.answer.next.empty(); });
  if (coming) table.head.push_back({"next", "next.0.forecast"});
  for (const auto* one : series) {
    auto& row = table.rows.emplace_back();
    for (const auto& value : one->key) row.push_back({value});
    const auto& best = one->answer.beside_best;
    const auto& next = one->answer.next;
    row.push_back(show::whole(one->rounds));
    row.push_back(show::number(measured(result.answer, one->answer.errors.front()), "{:.4g}"));
    row.push_back(best ? show::Cell{best->name} : show::missing());
    row.push_back(best ? show::difference(best->difference) : show::missing());
    if (coming)
      row.push_back(next.empty() ? show::missing() : show::number(next.front().forecast, "{:.6g}"));
  }
  return table;
}

}  // namespace

std::string series_table(const SeriesResult& result, const std::string& origin) {
  const std::string caption = fmt::format(
      "{}: {} of {}, {} together, {}", origin, fmt::format("{} series", result.series.size()),
      fmt::join(result.by, ", "), io::counted(result.rounds, "round"),
      io::counted(result.experts.size(), "expert"));
  std::string out = answer_text(result.answer, caption);
  out += fmt::format(
      "The combination is better than the best model of its series in {} of {} series.\n\n",
      better_than_best(result), result.series.size());
  std::vector<const SeriesResult::One*> shown;
  for (const auto& one : result.series) shown.push_back(&one);
  shown.resize(std::min(shown.size(), kInTerminal));
  out += text(series_rows(result, shown));
  if (result.series.size() > kInTerminal) {
    out +=
        fmt::format("({} more; --json and --out have them)\n", result.series.size() - kInTerminal);
  }
  return out;
}

}  // namespace pcgs::results

// ---- Page ---------------------------------------------------------------------------------------

namespace pcgs::report {

namespace {

using results::SeriesResult;

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
  std::string note =
      "How many series have which difference between the combination's error and that of their own "
      "best model: left of zero, the combination is better.";
  if (sorted.front() < from.front() || sorted.back() > to.back()) {
    note += " What lies further out is counted in the outermost bars.";
  }
  Chart chart{.id = "differences",
              .title = "Where the combination helps",
              .note = std::move(note),
              .alternative = fmt::format(
                  "Differences of {} series: from {:+.1f} % to {:+.1f} %, in the median {:+.1f} %.",
                  sorted.size(), sorted.front(), sorted.back(), median(sorted)),
              .uses = "histogram",
              .height = 220};
  chart.groups.push_back({{"from", drawn(from)}, {"to", drawn(to)}, {"count", drawn(counts)}});
  return chart;
}

Table table_of(const SeriesResult& result) {
  auto shown = worst_first(result);
  shown.resize(std::min(shown.size(), results::kOnPage));
  Table table = results::series_rows(result, shown);
  table.id = "series-table";
  table.caption =
      "Each series, those first in which the combination does worst beside the best model";
  if (result.series.size() > results::kOnPage) {
    table.caption += fmt::format(": {} of {}; results.json of --out, and --json, have all",
                                 results::kOnPage, result.series.size());
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
