#include "show/forecast_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "data/json.h"
#include "show/kinds.h"

namespace pcgs::results {

namespace {

double per_cent(double ratio) { return 100 * (ratio - 1); }

const char* kind_text(compare::ForecastError::Kind kind) {
  switch (kind) {
    case compare::ForecastError::Kind::kMethod:
      return "method";
    case compare::ForecastError::Kind::kExpert:
      return "expert";
    case compare::ForecastError::Kind::kReference:
      break;
  }
  return "reference";
}

ErrorLine line_of(const compare::ForecastError& error, const TaskLoss& task) {
  ErrorLine line;
  line.name = error.name;
  line.kind = kind_text(error.kind);
  line.rounds = error.own.rounds();
  line.rmse = finite(error.own.rmse());
  line.mae = finite(error.own.mae());
  if (const auto mape = error.own.mape()) line.mape = finite(*mape);
  line.bias = finite(error.own.bias());
  if (task.kind() == TaskLoss::Kind::kPinball || task.kind() == TaskLoss::Kind::kLog) {
    line.loss = finite(error.own.loss());
  }
  line.difference = finite(per_cent(error.combined.measure(task) / error.own.measure(task)));
  return line;
}

std::optional<Difference> difference_of(const std::optional<compare::Beside>& beside) {
  if (!beside) return {};
  Difference out{beside->name, beside->rounds, per_cent(beside->ratio), {}, beside->p};
  if (beside->interval) {
    out.interval = {per_cent(beside->interval->low), per_cent(beside->interval->high)};
  }
  return out;
}

ComingForecast coming(const compare::Problem& problem, const compare::MethodResult& method,
                      std::size_t t) {
  ComingForecast out;
  if (problem.times) out.time = std::string(problem.times->text[t]);
  out.row = problem.file_row(t);
  out.forecast = finite(method.forecasts[t]);
  if (!method.intervals) return out;
  const auto& record = *method.intervals;
  for (std::size_t i = 0; i < record.levels.size(); ++i) {
    const double low = record.low.row(t)[i], high = record.high.row(t)[i];
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    out.interval.by_name.emplace_back(fmt::format("{}", record.levels[i]),
                                      std::vector<double>{low, high});
  }
  return out;
}

}  // namespace

const std::optional<double>& measured(const ForecastAnswer& answer, const ErrorLine& line) {
  return answer.measure == "RMSE" ? line.rmse : answer.measure == "MAE" ? line.mae : line.loss;
}

ForecastAnswer errors_answer(const compare::Errors& errors, const TaskLoss& task) {
  ForecastAnswer answer;
  answer.measure = compare::measure_name(task);
  for (const auto& error : errors.all) answer.errors.push_back(line_of(error, task));
  answer.errors.front().difference.reset();
  answer.beside_best = difference_of(errors.beside_best);
  answer.beside_equal = difference_of(errors.beside_equal);
  return answer;
}

ForecastAnswer forecast_answer(const compare::Problem& problem,
                               const compare::Comparison& comparison,
                               const compare::Errors& errors) {
  const compare::MethodResult& combination = comparison.methods.back();
  ForecastAnswer answer = errors_answer(errors, problem.task);
  const std::size_t known = problem.known();
  for (std::size_t t = 0; t < known; ++t) {
    if (std::isnan(problem.outcomes[t])) ++answer.rounds_without_outcome;
  }
  for (std::size_t t = known; t < problem.rounds(); ++t) {
    answer.next.push_back(coming(problem, combination, t));
  }
  for (std::size_t k = 0; k < problem.experts.size(); ++k) {
    answer.weights_now.by_name.emplace_back(problem.experts[k], combination.next_weights[k]);
  }
  if (problem.times) {
    const auto& text = problem.times->text;
    answer.times = {text.name, std::string(text[0]), std::string(text[text.size() - 1])};
  }
  return answer;
}

void fields(Fields& f, ErrorLine& line) {
  f("name", line.name, "kind", line.kind, "rounds", line.rounds);
  const auto optional = [](const ErrorColumn& column) {
    return column.unit == ErrorColumn::Unit::kLoss || column.unit == ErrorColumn::Unit::kDifference;
  };
  for (const ErrorColumn& column : kErrorColumns) {
    if (!optional(column)) f(column.key, line.*column.value);
  }
  for (const ErrorColumn& column : kErrorColumns) {
    if (optional(column)) f.unless_empty(column.key, line.*column.value);
  }
}

void fields(Fields& f, Difference& difference) {
  f("name", difference.name, "rounds", difference.rounds, "difference", difference.difference);
  f.unless_empty("interval", difference.interval);
  f.unless_empty("p", difference.p);
  f.require(difference.interval.empty() || difference.interval.size() == 2, "interval",
            "does not have two ends");
}

void fields(Fields& f, ComingForecast& next) {
  f.unless_empty("time", next.time);
  f("row", next.row, "forecast", next.forecast, "interval", next.interval);
}

void fields(Fields& f, TimeSpan& times) {
  f("column", times.column, "first", times.first, "last", times.last);
}

void fields(Fields& f, ForecastAnswer& answer) {
  f("measure", answer.measure, "errors", answer.errors);
  f.unless_empty("beside_best", answer.beside_best);
  f.unless_empty("beside_equal_weights", answer.beside_equal);
  f.unless_empty("rounds_without_outcome", answer.rounds_without_outcome);
  f("next", answer.next, "weights_now", answer.weights_now);
  f.unless_empty("times", answer.times);
  f.require(!answer.errors.empty(), "errors", "is empty");
}

namespace {

std::string size_text(double difference) {
  const double size = std::abs(difference);
  return fmt::format("{:.{}f} %", size, size < 9.95 ? 1 : 0);
}

}  // namespace

std::string error_text(double error) {
  const double size = std::abs(error);
  return size >= 9999.5 && size < 1e15 ? fmt::format("{:.0f}", error)
                                       : fmt::format("{:.4g}", error);
}

std::string difference_text(double difference) {
  if (std::abs(difference) < 0.05) return "the same as";
  return fmt::format("{} {}", size_text(difference), difference < 0 ? "below" : "above");
}

std::string headline(const ForecastAnswer& answer) {
  const ErrorLine& combination = answer.errors.front();
  const auto error = measured(answer, combination);
  if (combination.rounds == 0) return "No outcome is known yet, so no error is.";
  if (!error) {
    return answer.measure == "log loss"
               ? "The combination's log loss is infinite: it once gave what happened no chance at "
                 "all."
               : fmt::format("The combination's error ({}) is beyond the largest number there is.",
                             answer.measure);
  }
  std::string out =
      fmt::format("The combination's error ({} {}) ", answer.measure, error_text(*error));
  if (!answer.beside_best) return out + "has nothing to be compared with.";
  const Difference& best = *answer.beside_best;
  out += fmt::format("was {} that of your best model, {}", difference_text(best.difference),
                     best.name);
  // A few that it missed are told by the table.
  if (static_cast<double>(best.rounds) < 0.95 * static_cast<double>(combination.rounds)) {
    out += fmt::format(" (in the {} of {} rounds in which it forecast)", best.rounds,
                       combination.rounds);
  }
  if (answer.beside_equal) {
    out += fmt::format(", and {} that of equal weights",
                       difference_text(answer.beside_equal->difference));
  }
  return out + ".";
}

std::string sureness(const ForecastAnswer& answer) {
  if (!answer.beside_best || answer.beside_best->interval.size() != 2) return "";
  const auto& best = *answer.beside_best;
  const double low = best.interval[0], high = best.interval[1];
  const bool sure = low > 0 || high < 0;
  const auto end = [](double x) {
    return fmt::format("{} {}", size_text(x), x < 0 ? "below" : "above");
  };
  const std::string range = high < 0  ? fmt::format("{} to {}", size_text(high), end(low))
                            : low > 0 ? fmt::format("{} to {}", size_text(low), end(high))
                                      : fmt::format("between {} and {}", end(low), end(high));
  return fmt::format("{}: the difference to {} is, with 95 % confidence, {}.",
                     sure ? "That is more than chance" : "That may be chance", best.name, range);
}

}  // namespace pcgs::results
