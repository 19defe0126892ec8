// What methods are compared on: a sequence of rounds, given as losses or as forecasts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"
#include "pcgs/matrix.h"

namespace pcgs::compare {

struct Problem {
  std::string origin;                // the file, for messages
  std::vector<std::string> experts;  // [K]
  Matrix values;                     // [T x K] losses, or forecasts (NaN: asleep)
  std::vector<double> outcomes;      // [T]; empty: values are losses
  Matrix side;                       // [T x any] side information; may have no columns
  std::size_t block = 1;  // rounds that are forecast before the outcome of any of them is known
  std::size_t delay = 0;  // rounds by which an outcome comes late
  TaskLoss task;
  LossScale scale;  // before the first round

  std::size_t rounds() const { return values.rows; }
  bool has_forecasts() const { return !outcomes.empty(); }
  LossSource source() const {
    return has_forecasts() ? LossSource::kForecasts : LossSource::kGiven;
  }
};

// Throws Error unless every number is one the methods can learn from, naming the place where it is
// not; `outcome_name` is that of the outcomes, if there are any.
void check_values(const Problem& problem, const std::string& outcome_name);

// The losses in [0,1] that every method learns from; +infinity for sleepers. Rounds in which
// everybody sleeps are left out.
Matrix scaled_losses(const Problem& problem);

}  // namespace pcgs::compare
