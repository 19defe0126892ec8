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

namespace pcgs::results {

namespace {

constexpr std::size_t kSeriesShown = 12;

}  // namespace

JudgedSeries judge_series(std::vector<std::string> key, const compare::Problem& problem,
                          const compare::Comparison& comparison) {
  auto errors = compare::errors_of(problem, comparison);
  auto answer = forecast_answer(problem, comparison, errors);
  return {std::move(key), problem.rounds(), std::move(errors), std::move(answer)};
}

SeriesResult series_result(std::vector<std::string> by, std::vector<std::string> experts,
                           const TaskLoss& task, std::vector<JudgedSeries> series) {
  SeriesResult out;
  out.by = std::move(by);
  out.experts = std::move(experts);
  std::vector<const compare::Errors*> errors;
  for (const auto& one : series) errors.push_back(&one.errors);
  out.answer = errors_answer(compare::add_errors(errors, task), task);
  for (auto& one : series) {
    out.rounds += one.rounds;
    out.answer.rounds_without_outcome += one.answer.rounds_without_outcome;
    out.series.push_back({std::move(one.key), one.rounds, std::move(one.answer)});
  }
  return out;
}

SeriesResult series_result(const Outcome& outcome) {
  SeriesResult out;
  const Problem& first = outcome.series.front().problem;
  out.by = outcome.by;
  out.experts = first.experts;
  out.answer = errors_answer(outcome.errors, first.task);
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

}  // namespace pcgs::results
