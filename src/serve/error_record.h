// How the forecasts that a stream published have done beside equal weights, the plain mean of those
// awake, over the rounds that it has learned.
#pragma once

#include <cstdint>
#include <optional>

#include "pcgs/losses.h"
#include "pcgs/state.h"

namespace pcgs::stream {

class ErrorRecord {
 public:
  // Both forecasts as they were when the round was opened; neither is NaN.
  void add(const TaskLoss& task, double published, double mean, double outcome);

  std::uint64_t rounds() const { return rounds_; }
  // What the task pays for: the root of the mean squared error for squared loss, else the mean loss.
  // None before the first round, and where it is beyond what a sum of losses can say.
  std::optional<double> combination(const TaskLoss& task) const;
  std::optional<double> equal_weights(const TaskLoss& task) const;
  // Below 1: the combination is better. None where either has no error, or equal weights had one of 0.
  std::optional<double> ratio(const TaskLoss& task) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::optional<double> measure(const TaskLoss& task, double sum) const;

  std::uint64_t rounds_ = 0;
  // Sums of losses. The largest double stands for whatever is beyond it.
  double combination_ = 0, equal_weights_ = 0;
};

}  // namespace pcgs::stream
