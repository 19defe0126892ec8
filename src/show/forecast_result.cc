#include "show/forecast_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "data/csv.h"
#include "data/json_fields.h"
#include "data/keyed_values.h"
#include "run/errors.h"
#include "show/forecast_answer.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::results {

const ForecastResult::Expert* best_expert(const ForecastResult& forecast) {
  const ForecastResult::Expert* best = nullptr;
  for (const auto& expert : forecast.experts) {
    if (!expert.mean_loss || !expert.combined_mean_loss) continue;
    if (2 * expert.rounds + forecast.gaps < forecast.rounds) continue;
    if (best == nullptr || *expert.mean_loss < *best->mean_loss) best = &expert;
  }
  return best;
}

void fields(Fields& f, ForecastResult::Expert& expert) {
  f("name", expert.name, "rounds", expert.rounds, "mean_loss", expert.mean_loss,
    "combined_mean_loss", expert.combined_mean_loss, "next_forecast", expert.next_forecast,
    "next_weight", expert.next_weight);
}

void fields(Fields& f, ForecastResult::Range& range) {
  f("level", range.level, "low", range.low, "high", range.high);
}

void fields(Fields& f, ForecastResult& forecast) {
  f("rounds", forecast.rounds, "gaps", forecast.gaps, "column", forecast.column, "method",
    forecast.method, "loss", forecast.loss, "scale", forecast.scale, "mean_loss",
    forecast.mean_loss, "experts", forecast.experts, "next", forecast.next);
  f.unless_empty("next_intervals", forecast.next_intervals);
  f("forecasts", forecast.forecasts);
  // "next" and the weights are above, in this command's own words.
  ForecastAnswer& answer = forecast.answer;
  f("measure", answer.measure, "errors", answer.errors);
  f.unless_empty("beside_best", answer.beside_best);
  f.unless_empty("beside_equal_weights", answer.beside_equal);
  f.unless_empty("times", answer.times);
}

const Kind& ForecastResult::kind() {
  static const Kind kKind = make_kind<ForecastResult, report::show_forecast>(50);
  return kKind;
}

ForecastResult forecast_result(const Problem& problem, const std::string& column,
                               const Comparison& comparison) {
  const MethodResult& method = comparison.methods.back();
  const std::size_t rows = problem.rounds() - 1;
  const Errors errors = compare::errors_of(problem, comparison);
  ForecastResult result;
  result.rounds = rows;
  result.column = column;
  result.method = method.name;
  result.loss = problem.task.name();
  result.scale = finite(comparison.scale);
  result.mean_loss = finite(errors.all.front().own.loss());
  result.answer = forecast_answer(problem, comparison, errors);
  for (std::size_t t = 0; t < rows; ++t) {
    if (std::isnan(problem.outcomes[t])) ++result.gaps;
    result.forecasts.push_back(finite(method.forecasts[t]));
  }
  result.next = finite(method.forecasts[rows]);
  for (std::size_t i = 0; method.intervals && i < method.intervals->levels.size(); ++i) {
    const double low = method.intervals->low.row(rows)[i];
    if (std::isnan(low)) continue;
    result.next_intervals.push_back(
        {method.intervals->levels[i], low, method.intervals->high.row(rows)[i]});
  }
  for (std::size_t k = 0; k < problem.experts.size(); ++k) {
    const auto& error = *std::find_if(errors.all.begin(), errors.all.end(), [&](const auto& one) {
      return one.kind == ForecastError::Kind::kExpert && one.name == problem.experts[k];
    });
    result.experts.push_back({error.name, error.own.rounds(), finite(error.own.loss()),
                              finite(error.combined.loss()), finite(problem.values.row(rows)[k]),
                              method.weights.row(rows)[k]});
  }
  return result;
}

std::string forecast_table(const ForecastResult& result, const std::string& origin) {
  std::string caption = fmt::format("{}: {}, {} row{}", origin, result.column, result.rounds,
                                    result.rounds == 1 ? "" : "s");
  if (result.gaps > 0) caption += fmt::format(", {} of them gaps", result.gaps);
  return answer_text(result.answer, caption);
}

std::string forecast_csv(const Problem& problem, const Comparison& comparison) {
  const MethodResult& method = comparison.methods.back();
  std::string out;
  if (problem.times) {
    const std::string& name = problem.times->text.name;
    out += (name.empty() ? "time" : csv_field(name)) + ',';
  }
  out += "row,value,forecast";
  for (const auto& name : problem.experts) out += ',' + csv_field("weight:" + name);
  if (method.intervals) {
    for (const double level : method.intervals->levels) {
      out += fmt::format(",low_{0:g},high_{0:g}", 100 * level);
    }
  }
  out += '\n';
  const auto number = [&](double x) {
    out += ',';
    if (!std::isnan(x)) fmt::format_to(std::back_inserter(out), "{}", x);
  };
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (problem.times) out += csv_field(problem.times->text[t]) + ',';
    out += fmt::format("{}", problem.file_row(t));
    number(problem.outcomes[t]);
    number(method.forecasts[t]);
    for (const double weight : method.weights.row(t)) number(weight);
    for (std::size_t i = 0; method.intervals && i < method.intervals->levels.size(); ++i) {
      number(method.intervals->low.row(t)[i]);
      number(method.intervals->high.row(t)[i]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace pcgs::results
