#include "show/series_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/fields.h"
#include "data/text_table.h"
#include "show/answer_table.h"
#include "show/forecast_answer.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::results {

namespace {

constexpr std::size_t kSeriesShown = 12;

compare::Errors together(const std::vector<JudgedSeries>& series, const TaskLoss& task) {
  compare::Errors sum;
  for (const auto& one : series) {
    for (const auto& error : one.errors.all) {
      const auto at = std::find_if(sum.all.begin(), sum.all.end(), [&](const auto& known) {
        return known.name == error.name && known.kind == error.kind;
      });
      if (at == sum.all.end()) {
        sum.all.push_back(error);
      } else {
        at->own.add(error.own);
        at->combined.add(error.combined);
      }
    }
  }
  // A reference that only a later series has stands after the experts of the first.
  std::stable_partition(sum.all.begin(), sum.all.end(), [](const auto& error) {
    return error.kind != compare::ForecastError::Kind::kExpert;
  });
  rank_experts(sum, task);
  const auto beside = [&](const compare::ForecastError& other) -> std::optional<compare::Beside> {
    const double ratio = other.combined.measure(task) / other.own.measure(task);
    if (!std::isfinite(ratio)) return {};
    return compare::Beside{other.name, other.own.rounds(), ratio, {}, {}};
  };
  if (sum.best_expert) sum.beside_best = beside(sum.all[*sum.best_expert]);
  for (const auto& error : sum.all) {
    if (error.kind == compare::ForecastError::Kind::kReference && error.name == "equal weights") {
      sum.beside_equal = beside(error);
    }
  }
  return sum;
}

}  // namespace

JudgedSeries judge_series(std::vector<std::string> key, const compare::Problem& problem,
                          const compare::Comparison& comparison) {
  auto errors = errors_of(problem, comparison);
  auto answer = forecast_answer(problem, comparison, errors);
  return {std::move(key), problem.rounds(), std::move(errors), std::move(answer)};
}

SeriesResult series_result(std::vector<std::string> by, std::vector<std::string> experts,
                           const TaskLoss& task, std::vector<JudgedSeries> series) {
  SeriesResult out;
  out.by = std::move(by);
  out.experts = std::move(experts);
  out.answer = errors_answer(together(series, task), task);
  for (auto& one : series) {
    out.rounds += one.rounds;
    out.answer.rounds_without_outcome += one.answer.rounds_without_outcome;
    out.series.push_back({std::move(one.key), one.rounds, std::move(one.answer)});
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
                     {"beside it", "beside_best.difference"},
                     {"next", "next.0.forecast"}});
  for (const auto* one : series) {
    auto& row = table.rows.emplace_back();
    for (const auto& value : one->key) row.push_back({value});
    const auto& best = one->answer.beside_best;
    const auto& next = one->answer.next;
    row.push_back(show::whole(one->rounds));
    row.push_back(show::number(measured(result.answer, one->answer.errors.front()), "{:.4g}"));
    row.push_back(best ? show::Cell{best->name} : show::missing());
    row.push_back(best ? show::difference(best->difference) : show::missing());
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
