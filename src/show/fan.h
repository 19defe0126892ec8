// What fan charts show: the combined distributions of each series over time beside what came, small
// enough to be drawn.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "run/quantiles.h"
#include "show/blocks.h"
#include "show/curves.h"

namespace pcgs::report {

struct FanView {
  struct Band {
    std::string name;               // "80 %"
    std::vector<double> low, high;  // [at]
  };
  // The latest rounds of a series. Where it pauses, as between two seasons, stands a row of NaN, so
  // that nothing is drawn there.
  struct Fan {
    std::vector<std::string> key;  // [by]
    std::size_t rounds = 0;        // of the series, of which `shown` are here
    std::size_t shown = 0;
    std::size_t coming = 0;  // of these, at the end, without an outcome
    AxisRange range;
    std::vector<double> at;
    std::vector<std::string> when;     // [at] times as in the file
    std::vector<double> middle, came;  // [at]
    std::vector<Band> bands;           // the narrowest first
  };

  std::string time, outcome;    // what the columns are called
  std::string middle;           // "median", or the level that is nearest to it
  std::vector<std::string> by;  // columns that tell series apart
  std::size_t series = 0;       // of which `fans` has the first
  std::vector<Fan> fans;        // of series with two forecasts or more
};

// Of what was published in the rounds of the problem, [rounds x P].
FanView fan_view(const QuantileProblem& problem, const Matrix& published);

// Distributions over time.

// "location 06, horizon 2"
std::string series_title(const std::vector<std::string>& by, const std::vector<std::string>& key);

// A fan chart of the series that the reader chooses. Empty where there are no fans.
std::vector<Block> fan_blocks(const FanView& view);

}  // namespace pcgs::report
