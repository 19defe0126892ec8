#include "show/series_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/fields.h"
#include "data/text_table.h"
#include "show/answer_table.h"
#include "show/headline.h"
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

std::string series_table(const SeriesResult& result, const std::string& origin) {
  const std::string caption = fmt::format(
      "{}: {} of {}, {} together, {}", origin, fmt::format("{} series", result.series.size()),
      fmt::join(result.by, ", "), io::counted(result.rounds, "round"),
      io::counted(result.experts.size(), "expert"));
  std::string out = answer_text(result.answer, caption);
  out += fmt::format(
      "The combination is better than the best model of its series in {} of {} series.\n\n",
      better_than_best(result), result.series.size());
  io::TextTable table{"", {}, {}};
  table.head = result.by;
  table.left = table.head.size();
  table.head.insert(table.head.end(),
                    {"rounds", result.answer.measure, "best model", "beside it", "next"});
  for (const auto& one : result.series) {
    if (table.rows.size() == kSeriesShown) break;
    auto& row = table.rows.emplace_back(one.key);
    const auto& error = measured(result.answer, one.answer.errors.front());
    const auto& best = one.answer.beside_best;
    const auto& next = one.answer.next;
    row.insert(
        row.end(),
        {fmt::format("{}", one.rounds), error ? fmt::format("{:.4g}", *error) : "-",
         best ? best->name : "-", best ? fmt::format("{:+.1f} %", best->difference) : "",
         !next.empty() && next.front().forecast ? fmt::format("{:.6g}", *next.front().forecast)
                                                : ""});
  }
  out += text(table);
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
