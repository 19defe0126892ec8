// A series that a pool of experts forecasts, as rounds that methods combine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/csv.h"
#include "pcgs/experts.h"
#include "run/clock.h"
#include "run/comparison.h"

namespace pcgs::compare {

struct SeriesColumns {
  std::string column;                  // what is forecast
  std::vector<std::string> forecasts;  // the user's own forecasts of it
  std::string time;                    // empty: a column of dates is looked for
  io::NumberFormat format{};
  TellNote tell{};
};

// The rows of a file as a problem whose experts are the user's own forecasters, if there are any; a
// value that is missing is an outcome that is not known. Throws Error, naming the file.
Problem read_series(const std::string& path, const SeriesColumns& columns);

// The pool joins: its experts come first, and there is one more round, after the last row, which the
// user's own do not forecast. The pool is left as it was after the last value that is known, so that
// it can go on from there. `before` is where an earlier run stopped, or null. `advance` is told of
// every row. Throws Error for a name that both have.
void let_forecast(Problem& series, const std::string& column, ExpertPool& pool, const Clock* before,
                  const std::function<void(std::size_t)>& advance);

// What pcgs forecast saves: the pool and the aggregator, after the last value that was known.
struct ForecastState {
  std::vector<std::uint8_t> pool, aggregator;  // as each of them saves itself
  std::vector<std::size_t> seasons;            // of the pool

  // A state file (pcgs/state.h) with both in it.
  std::vector<std::uint8_t> file() const;
  // Throws Error, naming the file.
  static ForecastState load(const std::string& path);
};

}  // namespace pcgs::compare
