#include "show/series_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/json_fields.h"
#include "data/text_table.h"
#include "show/forecast_answer.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::results {

namespace {

constexpr std::size_t kSeriesShown = 12;

}  // namespace

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
                     {measure, fmt::format("errors.0.{}", measure == "RMSE"  ? "rmse"
                                                          : measure == "MAE" ? "mae"
                                                                             : "loss")},
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
  shown.resize(std::min(shown.size(), kSeriesShown));
  out += text(series_rows(result, shown));
  if (result.series.size() > kSeriesShown) {
    out +=
        fmt::format("({} more; --json and --out have them)\n", result.series.size() - kSeriesShown);
  }
  return out;
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

}  // namespace pcgs::results
