// What methods are compared on: a sequence of rounds, given as losses or as forecasts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pcgs/losses.h"
#include "pcgs/matrix.h"

namespace pcgs::compare {

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

// The warm-up for so many rounds where nobody says otherwise.
std::size_t usual_warmup(std::size_t rounds);

// Throws Error unless every number is one the methods can learn from, naming the place where it is
// not; `outcome_name` is that of the outcomes, if there are any.
void check_values(const Problem& problem, const std::string& outcome_name);

// The losses in [0,1] that methods were judged by, given the bound they ended with; +infinity for
// sleepers. Rounds in which everybody sleeps are left out.
Matrix bounded_losses(const Problem& problem, const Bound& bound);

// Once everything is played: throws Error, naming `origin`, if the warm-up never ended.
void check_scale(const Bound& bound, const std::string& origin);

}  // namespace pcgs::compare
