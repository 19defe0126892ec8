#include "controller.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "arrays.h"
#include "module.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace {

// As far as the registry lets its own methods go: beyond it sums overflow.
constexpr double kLowestEta = 1e-6, kHighestEta = 1e4;
// What a restart distribution may miss 1 by; the recursion itself tolerates 1e-9.
constexpr double kTolerance = 1e-10;

// Never destroyed: aggregators may be, after everything else of the module.
std::set<PyObject*>& controllers_in_use() {
  static auto& in_use = *new std::set<PyObject*>;
  return in_use;
}

}  // namespace

void Reins::take(py::object controller) {
  if (!controllers_in_use().insert(controller.ptr()).second) {
    throw Error(
        "this controller already steers another aggregator; give each its own, for instance "
        "copy.deepcopy(controller)");
  }
  controller_ = std::move(controller);
}

void Reins::let_go() {
  if (!controller_) return;
  controllers_in_use().erase(controller_.ptr());
  controller_ = py::object();
}

void PythonController::check_kind(py::handle object) {
  const auto base = py::module_::import("pcgs.controller").attr("Controller");
  if (py::isinstance(object, base)) return;
  throw Error("the method is neither a name nor a pcgs.Controller; pcgs.methods() lists names");
}

PythonController::PythonController(py::object object) : object_(std::move(object)) {
  check_kind(object_);
  const py::object name = object_.attr("name")();
  if (!py::isinstance<py::str>(name) || py::len(name) == 0) {
    throw Error("name() of the controller returned no text; return a name");
  }
  name_ = name.cast<std::string>();
  constexpr std::int64_t kMostSide = 1 << 20;
  side_needed_ = static_cast<std::size_t>(
      count_of(object_.attr("side_needed")(), "side_needed()", 0, kMostSide));
}

void PythonController::reset(std::size_t experts) {
  experts_ = experts;
  q_.assign(experts, 0);
  object_.attr("reset")(experts);
}

Controls PythonController::after(const Round& round) {
  failed_ = true;  // unless everything below goes well
  py::object awake = py::none();
  if (!round.awake.empty()) {
    awake = py::array_t<bool>(static_cast<py::ssize_t>(round.awake.size()),
                              reinterpret_cast<const bool*>(round.awake.data()));
  }
  // Arrays of its own: Python code may keep them.
  const Controls controls = checked(answer("after", object_, round.number, array_of(round.losses),
                                           array_of(round.weights), awake, array_of(round.side),
                                           round.mixture_loss, round.learner_loss));
  failed_ = false;
  return controls;
}

Controls PythonController::checked(py::handle answer) {
  const auto refused = [&](const std::string& why) {
    return Error(fmt::format("after() of the controller {} returned {}", name_, why));
  };
  if (!py::isinstance<py::tuple>(answer) || (py::len(answer) != 2 && py::len(answer) != 3)) {
    throw refused(fmt::format("a {}; return pcgs.Controls(eta, rho, q)",
                              std::string(py::str(py::type::handle_of(answer).attr("__name__")))));
  }
  const auto parts = py::reinterpret_borrow<py::tuple>(answer);
  Controls controls;
  controls.eta = number_of(parts[0], "eta");
  controls.rho = number_of(parts[1], "rho");
  if (!(controls.eta >= kLowestEta && controls.eta <= kHighestEta)) {
    throw refused(
        fmt::format("eta = {}; return one from {} to {}", controls.eta, kLowestEta, kHighestEta));
  }
  if (!(controls.rho >= 0 && controls.rho < 1)) {
    throw refused(fmt::format("rho = {}; return one in [0, 1)", controls.rho));
  }
  if (parts.size() == 2 || parts[2].is_none()) return controls;
  const Row q = row_of(parts[2], "q");
  if (q.values.size() != experts_) {
    throw refused(fmt::format("a q of {} numbers for {} experts; return one for each, or None",
                              q.values.size(), experts_));
  }
  double total = 0;
  for (const double x : q.values) {
    if (!(x >= 0)) throw refused(fmt::format("a q that holds {}; return probabilities", x));
    total += x;
  }
  if (!(std::abs(total - 1) <= kTolerance)) {
    throw refused(fmt::format("a q that sums to {}; return one that sums to 1", total));
  }
  std::copy(q.values.begin(), q.values.end(), q_.begin());
  controls.q = q_;
  return controls;
}

void PythonController::save(StateWriter& out) const {
  const py::object state = object_.attr("save")();
  if (!py::isinstance<py::bytes>(state)) {
    throw Error(fmt::format("save() of the controller {} returned no bytes; return some", name_));
  }
  const auto bytes = state.cast<std::string_view>();
  out.u64(bytes.size());  // so that load() can make room
  out.bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

void PythonController::load(StateReader& in) {
  std::vector<std::uint8_t> bytes(in.count(1));
  in.bytes(bytes);
  object_.attr("load")(py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace pcgs::python
