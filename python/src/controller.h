// A controller that is written in Python, as the library sees it.
//
// Python code may raise, and may answer nonsense; the recursion accepts neither. Every answer is
// checked before the library sees it, and whatever was raised passes through the round that it
// interrupted. That round is then half learned: from there on failed() is true, and whoever owns
// the aggregator refuses to go on.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

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

}  // namespace pcgs::python
