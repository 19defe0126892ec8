// A series that a pool of experts forecasts, as rounds that methods combine.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/number.h"
#include "pcgs/experts.h"
#include "run/clock.h"
#include "run/comparison.h"
#include "show/forecast_result.h"

namespace pcgs::studies {

struct SeriesColumns {
  std::string column;                  // what is forecast
  std::vector<std::string> forecasts;  // the user's own forecasts of it
  std::string time;                    // empty: a column of dates is looked for
  io::NumberFormat format{};
  TellNote tell{};
};

// The rows of a file as a problem whose experts are the user's own forecasters, if there are any; a
// value that is missing is an outcome that is not known. Throws Error, naming the file.
compare::Problem read_series(const std::string& path, const SeriesColumns& columns);

// The pool joins: its experts come first, and there is one more round, after the last row, which the
// user's own do not forecast. The pool is left as it was after the last value that is known, so that
// it can go on from there. `before` is where an earlier run stopped, or null. `advance` is told of
// every row. Throws Error for a name that both have.
void let_forecast(compare::Problem& series, const std::string& column, ExpertPool& pool,
                  const compare::Clock* before, const std::function<void(std::size_t)>& advance);

// What came of it. `column` is what was forecast.
results::ForecastResult forecast_result(const compare::Problem& problem, const std::string& column,
                                        const compare::Comparison& comparison);

std::string forecast_table(const results::ForecastResult& result, const std::string& origin);

// A line for each round: the time if there is one, row, value, forecast, a weight for each expert,
// and the intervals.
std::string forecast_csv(const compare::Problem& problem, const compare::Comparison& comparison);

}  // namespace pcgs::studies
