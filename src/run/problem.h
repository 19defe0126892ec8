// What methods are compared on: a sequence of rounds, given as losses or as forecasts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/times.h"
#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"
#include "pcgs/matrix.h"

namespace pcgs::compare {

struct Problem {
  std::string origin;                     // the file, for messages
  std::vector<std::string> experts;       // [K]
  Matrix values;                          // [T x K] losses, or forecasts (NaN: asleep)
  std::vector<double> outcomes;           // [T] NaN: not known; empty: values are losses
  std::optional<io::TimeColumn> times{};  // [T] when each round is
  std::vector<std::size_t> rows{};        // [T] where it stands in the file; empty: 1, 2, ...
  std::vector<std::int64_t> missing{};    // [T] rounds that are missing before it; empty: none
  // [T x K] what `values` were made from, if they are losses that were capped before they came here.
  Matrix unclipped{};
  Matrix side;            // [T x any] side information; may have no columns
  std::size_t block = 1;  // rounds that are forecast before the outcome of any of them is known
  std::size_t delay = 0;  // rounds by which an outcome comes late
  // [T] how many of the first rounds have an outcome that is known when this one is forecast, where
  // neither block nor delay says it; never less than for the round before it. Empty: they do.
  std::vector<std::size_t> known_at{};
  TaskLoss task;
  LossScale scale;  // before the first round

  std::size_t rounds() const { return values.rows; }
  bool has_forecasts() const { return !outcomes.empty(); }
  // Rounds up to the last one that can be learned from. Those after it are coming: they are forecast.
  std::size_t known() const;
  // How many of the first rounds can be learned from before round t is forecast.
  std::size_t known_before(std::size_t t) const {
    if (!known_at.empty()) return known_at[t];
    const std::size_t start = t - t % block;
    return start > delay ? start - delay : 0;
  }
  std::size_t file_row(std::size_t t) const { return rows.empty() ? t + 1 : rows[t]; }
  LossSource source() const {
    return has_forecasts() ? LossSource::kForecasts : LossSource::kGiven;
  }
};

// Throws Error unless every number is one the methods can learn from, naming the place where it is
// not; `outcome_name` is that of the outcomes, if there are any.
void check_values(const Problem& problem, const std::string& outcome_name);

// The losses in [0,1] that every method learns from; +infinity for sleepers. Rounds in which
// everybody sleeps, or whose outcome is not known, are left out.
//
// `scales`, if given, gets what the losses of each of the T rounds were divided by: NaN for those that
// are left out, 1 where they are losses in [0,1] as they are.
Matrix scaled_losses(const Problem& problem, std::vector<double>* scales = nullptr);

// The same before anything was divided or capped, in their own units. Empty where the losses are in
// [0,1] as they came.
Matrix unclipped_losses(const Problem& problem);

}  // namespace pcgs::compare
