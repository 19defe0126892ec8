// pcgs.Aggregator: an Aggregator that Python can hold.
//
// Beyond what the library's does, it
//   - is used by one call at a time: a second thread, or a controller that reaches for the
//     aggregator it steers, gets an Error and not a data race;
//   - is out of service once its controller raised in the middle of a round.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "construction_guard.h"
#include "controller.h"
#include "custom_loss.h"
#include "loss_options.h"
#include "named_rows.h"
#include "pcgs/aggregator.h"

namespace pcgs::python {

// What is proved so far. `regret` and `holds` are empty where they cannot be known without keeping
// every loss.
struct LiveProof {
  double bound = 0;
  std::optional<double> regret;
  std::optional<bool> holds;
  std::optional<std::size_t> switches;  // of the paths it is about; empty: any number
  bool weighted = false;                // every round by its eta, which changed
};

class PythonAggregator : public ZeroedUntilConstructed {
 public:
  // `method` is a spec or a pcgs.Controller, `own` a loss of the user's or empty. Seasons go to the method, if it takes them, and the
  // first to the intervals.
  PythonAggregator(pybind11::object experts, pybind11::object method, const LossOptions& losses,
                   CustomLoss own, bool certify, const std::vector<std::size_t>& seasons,
                   std::optional<IntervalOptions> intervals);
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
  void set_note(pybind11::handle note);
  void set_experts(pybind11::object names);
  void add_expert(const std::string& name);
  void remove_expert(const std::string& name);
  LiveProof certificate(pybind11::handle switches);
  pybind11::bytes to_bytes();
  // The pieces of a pickle, which keeps a loss of the user's own as well.
  pybind11::bytes bytes_for_pickle();
  pybind11::object own_loss_state() const { return own_loss_.state(); }
  void set_own_loss(CustomLoss own) { own_loss_ = std::move(own); }
  double total_forecast_loss() const;
  void save(const std::string& path);

  // For what only reads, and between calls only.
  const Aggregator& at_rest() const;
  const pybind11::object& controller() const { return controller_; }
  std::string description() const;

 private:
  class Turn;
  PythonAggregator() = default;
  // An aggregator and the Python controller inside it, if there is one.
  struct Made {
    std::unique_ptr<Aggregator> aggregator;  // null: no constructor has run
    const PythonController* steered_by = nullptr;
  };
  std::unique_ptr<Method> make_method(const PythonController*& steered_by) const;
  void check_made() const;
  void check_learned() const;
  void check_ready() const;
  void check_saved_whole() const;
  void learn_outcome(std::int64_t round, double outcome);
  void learn_named(const NamedRow& losses, std::int64_t round);
  void check_awake_losses(const NamedRow& losses) const;
  template <class Work>
  void at_length(const Work& work);
  template <class Change>
  void change_experts(const Change& change);

  std::string spec_;             // of a registered method
  pybind11::object controller_;  // or a pcgs.Controller; None
  Reins reins_;                  // of that controller, unless it failed
  std::size_t experts_ = 0;
  AggregatorOptions options_;
  CustomLoss own_loss_;
  bool long_rounds_ = false;  // long enough to let other threads run meanwhile
  bool busy_ = false;
  std::vector<double> safe_losses_;  // [K] of a round during which Python runs
  Made made_;
};

}  // namespace pcgs::python
