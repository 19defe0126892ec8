// A loss of the user's own for an Aggregator: pcgs.CustomLoss, or a function of a forecast and an
// outcome.
//
// The library knows rounds with losses only; what is kept here is what they are made of: the forecasts
// of open rounds. Python is asked once for each outcome that comes, and never inside the library.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <vector>

#include "pcgs/aggregator.h"

namespace pcgs::python {

class CustomLoss {
 public:
  // Whether an Aggregator's `loss` is one: anything that can be called, or a pcgs.CustomLoss.
  static bool is_one(pybind11::handle loss);
  // Empty: there is none.
  CustomLoss() = default;
  explicit CustomLoss(const pybind11::object& loss);

  bool there() const { return static_cast<bool>(loss_); }
  // Opens a round and combines: the weights that it plays times the forecasts (NaN: asleep).
  double predict(Aggregator& aggregator, std::span<const double> forecasts,
                 std::span<const double> side);
  // Closes the round (0: the only open one) with what its experts lost.
  void learn(Aggregator& aggregator, std::int64_t round, double outcome);
  void forget(std::int64_t round);
  double total() const { return total_; }

  // For pickles.
  pybind11::object state() const;
  static CustomLoss from(const pybind11::object& state);

 private:
  pybind11::object loss_;  // a pcgs.CustomLoss
  pybind11::dict open_;    // {round: (forecasts, combined)}
  double total_ = 0;       // of the combined forecasts
};

}  // namespace pcgs::python
