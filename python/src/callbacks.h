// Python code that an aggregator calls: a controller, or a loss of the user's own.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/controller.h"

namespace pcgs::python {

// Held by what a controller steers: one aggregator at a time, since it has one state.
class Reins {
 public:
  Reins() = default;
  ~Reins() { let_go(); }
  Reins(const Reins&) = delete;
  Reins& operator=(const Reins&) = delete;
  // Throws Error where somebody else holds them.
  void take(pybind11::object controller);
  void let_go();

 private:
  pybind11::object controller_;
};

// A controller that is written in Python, as the library sees it.
//
// Python code may raise, and may answer nonsense; the recursion accepts neither. Every answer is
// checked before the library sees it, and whatever was raised passes through the round that it
// interrupted. That round is then half learned: from there on failed() is true, and whoever owns
// the aggregator refuses to go on.
class PythonController final : public Controller {
 public:
  // Throws Error unless it is a pcgs.Controller.
  static void check_kind(pybind11::handle object);
  explicit PythonController(pybind11::object object);

  bool failed() const { return failed_; }

  std::string name() const override { return name_; }
  void reset(std::size_t experts) override;
  Controls after(const Round& round) override;
  std::size_t side_needed() const override { return side_needed_; }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  Controls checked(pybind11::handle answer);

  pybind11::object object_;
  std::string name_;
  std::size_t side_needed_ = 0;
  std::size_t experts_ = 0;
  std::vector<double> q_;  // [K] of the latest answer
  bool failed_ = false;
};

// A loss of the user's own for an Aggregator: pcgs.CustomLoss, or a function of a forecast and an
// outcome. The library knows rounds with losses only; what is kept here is what they are made of: the
// forecasts of open rounds. Python is asked once for each outcome that comes, and never inside the
// library.
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
