// What somebody who forecasts asks first, of points and of quantiles alike: how wrong the combination was
// beside their models, what it says next, and who has the weight now. As a struct, as tables and as text
// for a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/json.h"
#include "pcgs/outcome.h"
#include "run/comparison.h"
#include "run/errors.h"
#include "show/table.h"

namespace pcgs::results {

// Numbers are none where there was no round, where they are beyond the range of a double, and where a
// log loss is infinite.
struct ErrorLine {
  std::string name, kind;  // "method", "reference" or "expert"
  std::size_t rounds = 0;  // with a forecast and an outcome
  std::optional<double> rmse, mae, mape, bias;
  std::optional<double> loss;  // mean; where it is none of these
  // The combination's error relative to this one's on the same rounds, in per cent: below 0, the
  // combination is better. None for the combination.
  std::optional<double> difference;
  bool operator==(const ErrorLine&) const = default;
};

// What is known of a line beside its name: a new number is a member of ErrorLine, a line here and whoever
// computes it.
struct ErrorColumn {
  enum class Unit {
    kLoss,       // what the task pays for, named by the measure; where that is none of the others
    kError,      // in the unit of the outcome; of points
    kShare,      // of the outcome; where some line has it
    kDifference  // per cent, as above
  };
  const char *key, *title;
  Unit unit;
  std::optional<double> ErrorLine::*value;
};
// In the order of tables.
inline constexpr ErrorColumn kErrorColumns[] = {
    {"loss", "", ErrorColumn::Unit::kLoss, &ErrorLine::loss},
    {"rmse", "RMSE", ErrorColumn::Unit::kError, &ErrorLine::rmse},
    {"mae", "MAE", ErrorColumn::Unit::kError, &ErrorLine::mae},
    {"mape", "MAPE", ErrorColumn::Unit::kShare, &ErrorLine::mape},
    {"bias", "bias", ErrorColumn::Unit::kError, &ErrorLine::bias},
    {"difference", "combination beside it", ErrorColumn::Unit::kDifference,
     &ErrorLine::difference}};

// The combination beside one of them.
struct Difference {
  std::string name;
  std::size_t rounds = 0;          // of both
  double difference = 0;           // of the measure, in per cent, as above
  std::vector<double> interval{};  // its 95 % interval, low and high; empty: too few rounds
  std::optional<double> p{};       // how often chance alone would give as much
  bool operator==(const Difference&) const = default;
};

// A forecast of a round whose outcome is not known yet.
struct ComingForecast {
  std::string time;     // empty without times
  std::size_t row = 0;  // in the file
  std::optional<double> forecast;
  ByName<std::vector<double>> interval{};  // low and high by level: "0.8"
  bool operator==(const ComingForecast&) const = default;
};

// When the rounds were.
struct TimeSpan {
  std::string column, first, last;
  bool operator==(const TimeSpan&) const = default;
};

struct ForecastAnswer {
  // What the task pays for: "RMSE", "MAE", "pinball loss", "log loss"; of quantiles "WIS", or
  // "level score" where levels are not symmetric.
  std::string measure;
  bool of_quantiles() const { return measure == "WIS" || measure == "level score"; }
  // The combination first, then other methods, references, and experts from the best on.
  std::vector<ErrorLine> errors;
  std::optional<Difference> beside_best, beside_equal;
  std::size_t rounds_without_outcome = 0;  // between rounds with one: forecast, not learned
  std::vector<ComingForecast> next{};
  ByName<double> weights_now{};  // of the experts, in the combination
  std::optional<TimeSpan> times{};
  bool operator==(const ForecastAnswer&) const = default;
};

// What the task pays for, and that of one line.
const ErrorColumn& measured_column(const ForecastAnswer& answer);
const std::optional<double>& measured(const ForecastAnswer& answer, const ErrorLine& line);

// Of what was played, whose errors are these.
ForecastAnswer forecast_answer(const Problem& problem, const Comparison& comparison,
                               const Errors& errors);
// The part that is about errors.
ForecastAnswer errors_answer(const Errors& errors);
// What a ratio of errors comes to: 5 for 1.05. Of one, the combination's beside it.
double per_cent(double ratio);
std::optional<Difference> difference_of(const std::optional<Beside>& beside);

// The answer to a forecaster's first question in a sentence or two.

// Four digits of an error, and never an exponent where numbers are still read without one.
std::string error_text(double error);

// "6.2 % below", "0.3 % above", "the same as".
std::string difference_text(double difference);

// "The combination's error (RMSE 12.3) was 6.2 % below that of your best model, arima, and 14 % below
// that of equal weights."
std::string headline(const ForecastAnswer& answer);

// Whether that could be chance: "More than chance: ...". Empty where there are too few rounds.
std::string sureness(const ForecastAnswer& answer);

// ---- Tables -------------------------------------------------------------------------------------

// Four digits; ">1e308" for what no double holds, though there was a round.
show::Cell error_cell(const std::optional<double>& error);

// A row for each line of the answer, the combination first. Columns are those of kErrorColumns.
show::Table errors_table(const ForecastAnswer& answer);
// Leaves the first so many models. Returns how many it left out.
std::size_t keep_models(show::Table& table, const ForecastAnswer& answer, std::size_t most);

// ", from 2026-03-01 to 2026-07-03"; empty without times.
std::string span_text(const std::optional<TimeSpan>& times);
// The table of errors and what it comes to in a sentence or two; empty lines are left out.
std::string errors_text(const ForecastAnswer& answer, show::Table table);
// "3 rows without an outcome: ..."; empty where there are none.
std::string without_outcome_text(const ForecastAnswer& answer, const char* what);
// Some lines under a title, and how many more there are.
std::string first_lines(const std::string& title, const std::vector<std::string>& lines);
// The whole answer. `caption` stands above.
std::string answer_text(const ForecastAnswer& answer, const std::string& caption);

// "weights now: ets 0.62, arima 0.38", the largest first; empty where there are none.
std::string weights_text(const ByName<double>& weights);

// The best mixture of constant weights, which is found in hindsight.
bool is_mix(const ErrorLine& line);

}  // namespace pcgs::results
