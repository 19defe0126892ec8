#include "custom_loss.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "arrays.h"
#include "core/kernels.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace {

py::object class_of_losses() { return py::module_::import("pcgs.custom_loss").attr("CustomLoss"); }

}  // namespace

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
