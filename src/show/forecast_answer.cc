#include "show/forecast_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "data/json.h"
#include "data/text.h"
#include "show/kinds.h"

namespace pcgs::results {

using show::Cell;
using show::Table;

namespace {

ErrorLine line_of(const ForecastError& error, const ErrorMeasure& measure) {
  constexpr const char* kKinds[] = {"method", "expert", "reference"};
  ErrorLine line;
  line.name = error.name;
  line.kind = kKinds[static_cast<std::size_t>(error.kind)];
  line.rounds = error.own.rounds();
  if (line.rounds == 0) return line;
  if (measure.of_points()) {
    line.rmse = finite(error.own.rmse());
    line.mae = finite(error.own.mae());
    if (const auto mape = error.own.mape()) line.mape = finite(*mape);
    line.bias = finite(error.own.bias());
  }
  if (!measure.is_rmse_or_mae()) line.loss = finite(measure(error.own));
  line.difference = finite(per_cent(measure.ratio(error)));
  return line;
}

ComingForecast coming(const Problem& problem, const MethodResult& method, std::size_t t) {
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

const ErrorColumn& measured_column(const ForecastAnswer& answer) {
  const auto* const at = std::ranges::find(kErrorColumns, answer.measure, &ErrorColumn::title);
  return at == std::end(kErrorColumns) ? kErrorColumns[0] : *at;
}

const std::optional<double>& measured(const ForecastAnswer& answer, const ErrorLine& line) {
  return line.*measured_column(answer).value;
}

double per_cent(double ratio) { return 100 * (ratio - 1); }

std::optional<Difference> difference_of(const std::optional<Beside>& beside) {
  if (!beside) return {};
  Difference out{beside->name, beside->rounds, per_cent(beside->ratio), {}, beside->p};
  if (beside->interval) {
    out.interval = {per_cent(beside->interval->low), per_cent(beside->interval->high)};
  }
  return out;
}

ForecastAnswer errors_answer(const Errors& errors) {
  ForecastAnswer answer;
  answer.measure = errors.measure.name();
  for (const auto& error : errors.all) answer.errors.push_back(line_of(error, errors.measure));
  answer.errors.front().difference.reset();
  answer.beside_best = difference_of(errors.beside_best);
  answer.beside_equal = difference_of(errors.beside_equal);
  return answer;
}

ForecastAnswer forecast_answer(const Problem& problem, const Comparison& comparison,
                               const Errors& errors) {
  const MethodResult& combination = comparison.methods.back();
  ForecastAnswer answer = errors_answer(errors);
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
  f.unless_empty("interval", difference.interval, "p", difference.p);
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
  f.unless_empty("beside_best", answer.beside_best, "beside_equal_weights", answer.beside_equal,
                 "rounds_without_outcome", answer.rounds_without_outcome);
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

// ---- Tables -------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kExpertsShown = 12, kComingShown = 6, kWeightsShown = 8;

bool is_shown(const ErrorColumn& column, const ForecastAnswer& answer) {
  switch (column.unit) {
    case ErrorColumn::Unit::kLoss:
      return answer.measure != "RMSE" && answer.measure != "MAE";
    case ErrorColumn::Unit::kError:
      return !answer.of_quantiles();
    case ErrorColumn::Unit::kShare:
      return std::any_of(answer.errors.begin(), answer.errors.end(),
                         [&](const ErrorLine& line) { return (line.*column.value).has_value(); });
    case ErrorColumn::Unit::kDifference:
      break;
  }
  return true;
}

// As many decimals as leave four digits of what the combination has, the same in every row; none: four
// digits of each number.
std::optional<int> decimals_of(double size) {
  if (size < 1e-4 || size >= 1e7) return {};
  return show::decimals_for(size, 4);
}

struct Decimals {
  explicit Decimals(const ForecastAnswer& answer) {
    const ErrorLine& first = answer.errors.front();
    of_errors = decimals_of(std::max(first.rmse.value_or(0), first.mae.value_or(0)));
    if (!answer.of_quantiles()) of_loss = decimals_of(first.loss.value_or(0));
  }
  std::optional<int> of_errors, of_loss;
};

Cell cell_of(const ErrorColumn& column, const ForecastAnswer& answer, const ErrorLine& line,
             const Decimals& decimals) {
  const auto& x = line.*column.value;
  switch (column.unit) {
    case ErrorColumn::Unit::kShare:
      return show::share(x, "{:.2f} %");
    case ErrorColumn::Unit::kDifference:
      return &line == &answer.errors.front() ? Cell{} : show::difference(x);
    case ErrorColumn::Unit::kLoss:
    case ErrorColumn::Unit::kError:
      break;
  }
  if (line.rounds == 0) return show::missing();
  const bool loss = column.unit == ErrorColumn::Unit::kLoss;
  if (loss && !x && answer.measure == "log loss") return {"infinite"};
  const auto fixed = loss ? decimals.of_loss : decimals.of_errors;
  if (x && fixed) return show::fixed(x, *fixed);
  return x && !answer.of_quantiles() ? show::number(x, "{:.4g}") : error_cell(x);
}

std::string coming_text(const ComingForecast& one) {
  std::string out =
      fmt::format("  {}  {}", one.time.empty() ? fmt::format("row {}", one.row) : one.time,
                  one.forecast ? fmt::format("{:.6g}", *one.forecast) : "nobody forecasts");
  for (const auto& [level, ends] : one.interval.by_name) {
    out += fmt::format("   {:g} %: {:.6g} to {:.6g}", 100 * std::stod(level), ends[0], ends[1]);
  }
  return out;
}

}  // namespace

bool is_mix(const ErrorLine& line) {
  return line.kind == "reference" && line.name == "best convex mix";
}

Cell error_cell(const std::optional<double>& error) {
  if (!error) return {">1e308"};
  Cell cell = show::number(error, "{}");
  cell.text = error_text(*error);
  return cell;
}

Table errors_table(const ForecastAnswer& answer) {
  Table table;
  table.head.push_back({answer.of_quantiles() ? "score of" : "error of", "name"});
  for (const ErrorColumn& column : kErrorColumns) {
    if (!is_shown(column, answer)) continue;
    const bool loss = column.unit == ErrorColumn::Unit::kLoss;
    table.head.push_back({loss ? answer.measure : column.title, column.key});
  }
  table.head.push_back({"rounds", "rounds"});
  const Decimals decimals(answer);
  for (const ErrorLine& line : answer.errors) {
    auto& row = table.rows.emplace_back();
    const bool combination = &line == &answer.errors.front();
    const char* note = combination ? " (the combination)" : is_mix(line) ? " *" : "";
    row.push_back({line.name + note, line.name});
    for (const ErrorColumn& column : kErrorColumns) {
      if (is_shown(column, answer)) row.push_back(cell_of(column, answer, line, decimals));
    }
    row.push_back(show::whole(line.rounds));
  }
  return table;
}

std::size_t keep_models(Table& table, const ForecastAnswer& answer, std::size_t most) {
  std::size_t models = 0;
  for (const ErrorLine& line : answer.errors) models += line.kind == "expert";
  const std::size_t left_out = models - std::min(models, most);
  table.rows.resize(table.rows.size() - left_out);
  return left_out;
}

std::string errors_text(const ForecastAnswer& answer, Table table) {
  std::string out;
  if (answer.errors.front().rounds > 0) {
    if (const std::size_t left_out = keep_models(table, answer, kExpertsShown); left_out > 0) {
      auto& row = table.rows.emplace_back(table.head.size());
      row[0].text = fmt::format("({} more; --json has them)", left_out);
    }
    out = text(table) + '\n';
  }
  out += headline(answer) + '\n';
  if (const std::string sure = sureness(answer); !sure.empty()) out += sure + '\n';
  return out;
}

std::string span_text(const std::optional<TimeSpan>& times) {
  return times ? fmt::format(", from {} to {}", times->first, times->last) : "";
}

std::string without_outcome_text(const ForecastAnswer& answer, const char* what) {
  if (answer.rounds_without_outcome == 0) return "";
  return fmt::format("{} without an outcome: forecast, and not learned from\n",
                     io::counted(answer.rounds_without_outcome, what));
}

std::string first_lines(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = '\n' + title + ":\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kComingShown); ++i) out += lines[i] + '\n';
  if (lines.size() > kComingShown) {
    out +=
        fmt::format("  ... and {} more; --out and --json have them\n", lines.size() - kComingShown);
  }
  return out;
}

std::string weights_text(const ByName<double>& weights) {
  if (weights.by_name.empty()) return "";
  auto all = weights.by_name;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) > std::abs(b.second);
  });
  std::string out = "weights now:";
  for (std::size_t k = 0; k < std::min(all.size(), kWeightsShown); ++k) {
    out += fmt::format("{} {} {:.2f}", k == 0 ? "" : ",", all[k].first, all[k].second);
  }
  if (all.size() > kWeightsShown) {
    double rest = 0;
    for (std::size_t k = kWeightsShown; k < all.size(); ++k) rest += all[k].second;
    out += fmt::format(", {} others {:.2f}", all.size() - kWeightsShown, rest);
  }
  return out + '\n';
}

std::string answer_text(const ForecastAnswer& answer, const std::string& caption) {
  std::string out = caption + "\n\n" + errors_text(answer, errors_table(answer));
  const auto& lines = answer.errors;
  if (std::any_of(lines.begin(), lines.end(), is_mix) &&
      std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line.rmse; })) {
    out +=
        "* constant weights found in hindsight, on rounds with every forecast there: nobody could "
        "have published it\n";
  }
  out += without_outcome_text(answer, "row");
  std::vector<std::string> next;
  for (const auto& one : answer.next) next.push_back(coming_text(one));
  out += first_lines(next.size() == 1 ? "next forecast" : "next forecasts", next);
  return out + weights_text(answer.weights_now);
}

}  // namespace pcgs::results
