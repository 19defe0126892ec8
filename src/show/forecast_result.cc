#include "show/forecast_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "data/csv.h"
#include "data/json.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"
#include "run/errors.h"
#include "show/forecast_answer.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::results {

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

namespace {

void put(std::string& out, double x) {
  out += ',';
  if (!std::isnan(x)) fmt::format_to(std::back_inserter(out), "{}", x);
}

std::string time_name(const Problem& problem) {
  const std::string& name = problem.times->text.name;
  return name.empty() ? "time" : csv_field(name);
}

// The columns of intervals, and what was published in a round.
std::string interval_names(const MethodResult& method) {
  std::string names;
  for (const double level : method.intervals->levels) {
    names += fmt::format(",low_{0:g},high_{0:g}", 100 * level);
  }
  return names;
}
void put_intervals(std::string& out, const MethodResult& method, std::size_t t) {
  for (std::size_t i = 0; i < method.intervals->levels.size(); ++i) {
    put(out, method.intervals->low.row(t)[i]);
    put(out, method.intervals->high.row(t)[i]);
  }
}

// What every row begins with, and what `rest` adds to it.
template <class Rest>
std::string rows_csv(const std::vector<std::string>& by, std::span<const PlayedSeries> series,
                     const std::string& more_columns, const Rest& rest) {
  const auto& first = *series.front().problem;
  std::string out = first.times ? time_name(first) : "round";
  for (const auto& name : by) out += ',' + csv_field(name);
  out += ",outcome" + more_columns + '\n';
  struct Row {
    std::size_t in_file, t;
    const PlayedSeries* series;
  };
  std::vector<Row> rows;
  for (const auto& one : series) {
    for (std::size_t t = 0; t < one.problem->rounds(); ++t) {
      rows.push_back({one.problem->file_row(t), t, &one});
    }
  }
  std::ranges::stable_sort(rows, {}, &Row::in_file);
  for (const auto& [in_file, t, one] : rows) {
    const auto& times = one->problem->times;
    out += times ? csv_field(times->text[t]) : fmt::format("{}", t + 1);
    for (const auto& value : *one->key) out += ',' + csv_field(value);
    put(out, one->problem->outcomes[t]);
    rest(out, *one->comparison, t);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string forecast_csv(const Problem& problem, const Comparison& comparison) {
  const MethodResult& method = comparison.methods.back();
  std::string out = problem.times ? time_name(problem) + ',' : "";
  out += "row,value,forecast";
  for (const auto& name : problem.experts) out += ',' + csv_field("weight:" + name);
  if (method.intervals) out += interval_names(method);
  out += '\n';
  for (std::size_t t = 0; t < problem.rounds(); ++t) {
    if (problem.times) out += csv_field(problem.times->text[t]) + ',';
    out += fmt::format("{}", problem.file_row(t));
    put(out, problem.outcomes[t]);
    put(out, method.forecasts[t]);
    for (const double weight : method.weights.row(t)) put(out, weight);
    if (method.intervals) put_intervals(out, method, t);
    out += '\n';
  }
  return out;
}

std::string forecasts_csv(const std::vector<std::string>& by,
                          std::span<const PlayedSeries> series) {
  std::string names;
  for (const auto& method : series.front().comparison->methods) {
    names += ',' + csv_field(method.name);
  }
  return rows_csv(by, series, names, [](std::string& out, const auto& one, std::size_t t) {
    for (const auto& method : one.methods) put(out, method.forecasts[t]);
  });
}

std::string intervals_csv(const std::vector<std::string>& by,
                          std::span<const PlayedSeries> series) {
  const auto names = interval_names(series.front().comparison->methods.back());
  return rows_csv(by, series, ",forecast" + names,
                  [](std::string& out, const auto& one, std::size_t t) {
                    put(out, one.methods.back().forecasts[t]);
                    put_intervals(out, one.methods.back(), t);
                  });
}

}  // namespace pcgs::results

// What pcgs forecast found, on a page.

namespace pcgs::report {

namespace {

using results::ForecastResult;

// The expert with the lowest mean loss, of those that forecast at least half of the time; null if
// there is none.
const ForecastResult::Expert* best_expert(const ForecastResult& forecast) {
  const ForecastResult::Expert* best = nullptr;
  for (const auto& expert : forecast.experts) {
    if (!expert.mean_loss || !expert.combined_mean_loss) continue;
    if (2 * expert.rounds + forecast.gaps < forecast.rounds) continue;
    if (best == nullptr || *expert.mean_loss < *best->mean_loss) best = &expert;
  }
  return best;
}

// Without its options where these are the usual ones.
std::string familiar_name(const std::string& method) {
  const std::string plain = method.substr(0, method.find('{'));
  try {
    return make_method(plain, 2)->name() == method ? plain : method;
  } catch (const Error&) {
    return method;  // of another version, or of somebody's own
  }
}

Table experts_table(const ForecastResult& forecast, const ForecastResult::Expert* best) {
  Table table{.id = "experts",
              .caption =
                  "Each expert over the rounds in which it forecast, beside the combined "
                  "forecast in the same rounds; the weights are those of the next round",
              .head = {{"expert", "name"},
                       {"rounds", "rounds"},
                       {"mean loss", "mean_loss"},
                       {"combined, same rounds", "combined_mean_loss"},
                       {"next forecast", "next_forecast"},
                       {"weight", "next_weight"}}};
  for (const auto& expert : forecast.experts) {
    if (&expert == best) table.strong.push_back(table.rows.size());
    table.rows.push_back({{expert.name},
                          whole(expert.rounds),
                          number(expert.mean_loss, "{:.6g}"),
                          number(expert.combined_mean_loss, "{:.6g}"),
                          number(expert.next_forecast, "{:.6g}"),
                          number(expert.next_weight, "{:.4f}")});
  }
  return table;
}

}  // namespace

void show_forecast(const ForecastResult& forecast, const Shown& /*shown*/, PageParts& page) {
  const auto* best = best_expert(forecast);
  std::string lead = fmt::format("{} experts, combined by {}, forecast {}", forecast.experts.size(),
                                 familiar_name(forecast.method), forecast.column);
  if (best != nullptr) {
    const double mine = *best->combined_mean_loss, other = *best->mean_loss;
    lead += fmt::format(
        " with a mean {} loss of {:.6g}, against {:.6g} of {}, the best of them, in the same "
        "rounds ({:.1f} % {})",
        forecast.loss, mine, other, best->name, 100 * std::abs(1 - mine / std::max(other, 1e-300)),
        mine <= other ? "less" : "more");
  }
  page.add({Paragraph{lead + ".", true},
            Figures{{{number(forecast.next, "{:.6g}"), "the next value of " + forecast.column},
                     {number(forecast.mean_loss, "{:.6g}"), "mean loss of the combined forecast"},
                     {whole(forecast.rounds), "rows of the series"},
                     {whole(forecast.gaps), "of them gaps"}}}});
  page.add(Section{"experts-section", "All experts", {experts_table(forecast, best)}});
}

}  // namespace pcgs::report
