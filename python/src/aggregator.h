// pcgs.Aggregator: an Aggregator that Python can hold. Beyond what Held does, it is out of service once
// its controller raised in the middle of a round.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "callbacks.h"
#include "held.h"
#include "pcgs/aggregator.h"
#include "rows.h"

namespace pcgs::python {

// How an Aggregator is to judge and be judged.
struct Judging {
  TaskLoss task;
  LossScale scale;
  CustomLoss own;  // a loss of the user's, or empty
  bool certify = true;
  std::vector<std::size_t>
      seasons;  // for the method, if it takes them; the first for the intervals
  std::optional<IntervalOptions> intervals;
};

class PythonAggregator : public Held<PythonAggregator, Aggregator> {
 public:
  static constexpr const char *kWhat = "aggregator", *kMaker = "Aggregator(experts=...)";
  // `method` is a spec or a pcgs.Controller.
  PythonAggregator(pybind11::handle experts, pybind11::object method, Judging judging);
  static std::unique_ptr<PythonAggregator> from_bytes(std::string_view bytes,
                                                      const std::string& origin,
                                                      pybind11::object controller);

  double predict(pybind11::handle forecasts, pybind11::handle side);
  void learn(pybind11::handle y, pybind11::handle losses, pybind11::handle round);
  std::int64_t open(pybind11::handle awake, pybind11::handle side);
  pybind11::object weights();
  pybind11::object played(pybind11::handle round);
  pybind11::dict intervals(pybind11::handle round);
  void abandon(pybind11::handle round);
  void skip(pybind11::handle rounds);
  void set_note(std::string note);
  void set_experts(pybind11::handle names);
  void add_expert(const std::string& name);
  void remove_expert(const std::string& name);
  pybind11::object certificate(pybind11::handle switches);
  pybind11::bytes bytes();     // for a pickle, which keeps a loss of the user's own beside them
  pybind11::bytes to_bytes();  // an Error where there is one
  void save(const std::string& path);
  double total_forecast_loss() const;
  std::string description() const;
  const pybind11::object& controller() const { return controller_; }
  pybind11::object own_loss_state() const { return own_loss_.state(); }
  void set_own_loss(CustomLoss own) { own_loss_ = std::move(own); }

 private:
  class Turn;
  PythonAggregator() = default;
  // With the controller that steers it, if there is one.
  std::unique_ptr<Method> make_method();
  void check_controller() const;
  void check_saved_whole() const;
  void learn_outcome(std::int64_t round, double outcome);
  void learn_named(const NamedRow& losses, std::int64_t round);
  void check_awake_losses(const NamedRow& losses) const;
  void take_controller(pybind11::object controller);
  void measure_rounds();
  template <class Work>
  void at_length(const Work& work);
  template <class Change>
  void change_experts(const Change& change);

  std::string spec_;                              // of a registered method
  pybind11::object controller_;                   // or a pcgs.Controller; None
  Reins reins_;                                   // of that controller, unless it failed
  const PythonController* steered_by_ = nullptr;  // as the aggregator has it
  std::size_t experts_ = 0;
  CustomLoss own_loss_;
  bool long_rounds_ = false;         // long enough to let other threads run meanwhile
  std::vector<double> safe_losses_;  // [K] of a round during which Python runs
};

}  // namespace pcgs::python
