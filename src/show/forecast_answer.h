// What somebody who forecasts asks first: how wrong the combination was beside their models, what it
// says next, and who has the weight now.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/keyed_values.h"
#include "run/comparison.h"
#include "run/errors.h"

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
  std::string measure;  // what the task pays for: "RMSE", "MAE", "pinball loss", "log loss"
  // The combination first, then other methods, references, and experts from the best on.
  std::vector<ErrorLine> errors;
  std::optional<Difference> beside_best, beside_equal;
  std::size_t rounds_without_outcome = 0;  // between rounds with one: forecast, not learned
  std::vector<ComingForecast> next{};
  ByName<double> weights_now{};  // of the experts, in the combination
  std::optional<TimeSpan> times{};
  bool operator==(const ForecastAnswer&) const = default;
};

// What the task pays for, of one line.
const std::optional<double>& measured(const ForecastAnswer& answer, const ErrorLine& line);

// Of a comparison on forecasts, whose errors are these.
ForecastAnswer forecast_answer(const compare::Problem& problem,
                               const compare::Comparison& comparison,
                               const compare::Errors& errors);
// The part that is about errors.
ForecastAnswer errors_answer(const compare::Errors& errors, const TaskLoss& task);

}  // namespace pcgs::results
