// What methods are compared on: a sequence of rounds, given as losses or as forecasts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pcgs/losses.h"
#include "pcgs/matrix.h"

namespace pcgs::cli {

struct Problem {
  std::string origin;                // the file, for messages
  std::vector<std::string> experts;  // [K]
  Matrix values;                     // [T x K] losses, or forecasts (NaN: asleep)
  std::vector<double> outcomes;      // [T]; empty: values are losses
  Matrix side;                       // [T x any] side information; may have no columns
  TaskLoss task;
  Bound bound = Bound::unit();

  std::size_t rounds() const { return values.rows; }
  bool has_forecasts() const { return !outcomes.empty(); }
};

// The losses in [0,1] that methods were judged by, given the bound they ended with; +infinity for
// sleepers. Rounds in which everybody sleeps are left out.
Matrix bounded_losses(const Problem& problem, const Bound& bound);

}  // namespace pcgs::cli
