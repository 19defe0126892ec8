#include "callbacks.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "arrays.h"
#include "core/kernels.h"
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

py::object class_of_losses() { return py::module_::import("pcgs.custom_loss").attr("CustomLoss"); }

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

// ---- Losses -------------------------------------------------------------------------------------

bool CustomLoss::is_one(py::handle loss) { return PyCallable_Check(loss.ptr()) != 0; }

CustomLoss::CustomLoss(const py::object& loss) {
  const py::object kind = class_of_losses();
  loss_ = py::isinstance(loss, kind) ? loss : kind(loss);
}

double CustomLoss::predict(Aggregator& aggregator, std::span<const double> forecasts,
                           std::span<const double> side) {
  if (forecasts.size() != aggregator.experts()) {
    throw Error(
        fmt::format("{} forecasts for {} experts; give one for each, NaN where there is none",
                    forecasts.size(), aggregator.experts()));
  }
  std::vector<std::uint8_t> awake;
  std::vector<double> said;  // a sleeper's is any finite number
  bool any = false;
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    if (std::isinf(forecasts[k])) {
      throw Error(
          fmt::format("the forecast of expert {} is {}; give finite numbers, or NaN where "
                      "there is none",
                      k + 1, forecasts[k]));
    }
    awake.push_back(std::isnan(forecasts[k]) ? 0 : 1);
    said.push_back(std::isnan(forecasts[k]) ? 0 : forecasts[k]);
    any = any || awake.back() != 0;
  }
  const std::int64_t round = aggregator.open(awake, side);
  const double combined = any ? combined_forecast(aggregator.played(round), said, awake)
                              : std::numeric_limits<double>::quiet_NaN();
  open_[py::int_(round)] = py::make_tuple(array_of(forecasts), combined);
  return combined;
}

void CustomLoss::learn(Aggregator& aggregator, std::int64_t round, double outcome) {
  if (round == 0) {
    const std::size_t rounds = aggregator.open_rounds();  // those that open() opened, too
    if (rounds != 1) {
      throw Error(fmt::format("{} rounds are open; {}", rounds,
                              rounds == 0 ? "predict() opens one" : "say which one this closes"));
    }
    if (open_.empty()) {
      throw Error("the open round was opened without forecasts; close it with losses");
    }
    round = (*open_.begin()).first.cast<std::int64_t>();
  }
  if (!open_.contains(py::int_(round))) {
    aggregator.played(round);  // says that it is not open, if it is not
    throw Error(fmt::format("round {} was opened without forecasts; close it with losses", round));
  }
  if (!std::isfinite(outcome)) {
    throw Error(fmt::format("the outcome of round {}, {}, is not a finite number", round, outcome));
  }
  const py::tuple kept = open_[py::int_(round)];
  const py::tuple found = loss_.attr("of_round")(kept[0], kept[1], outcome);
  aggregator.learn(round, row_of(found[0], "losses").values);
  total_ += found[1].cast<double>();
  forget(round);
}

void CustomLoss::forget(std::int64_t round) {
  if (there()) open_.attr("pop")(round, py::none());
}

py::object CustomLoss::state() const {
  return there() ? py::make_tuple(loss_, open_, total_) : py::object(py::none());
}

CustomLoss CustomLoss::from(const py::object& state) {
  CustomLoss out;
  if (state.is_none()) return out;
  const auto parts = state.cast<py::tuple>();
  out.loss_ = parts[0];
  out.open_ = py::dict(parts[1]);
  out.total_ = parts[2].cast<double>();
  return out;
}

}  // namespace pcgs::python
