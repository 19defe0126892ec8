#include "request_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "arrays.h"
#include "data/whole_file.h"
#include "interval_options.h"
#include "loss_options.h"
#include "paths.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"

namespace pcgs::python {

namespace {

constexpr std::int64_t kMost = 1000000;

std::string repr_of(py::handle value) { return std::string(py::repr(value)); }

[[noreturn]] void refuse(const char* field, py::handle value, std::string_view expected) {
  throw Error(ErrorKind::kValue, {.field = field},
              fmt::format("{} is {}; give {}", worded(option(field)), repr_of(value), expected));
}

bool is_one(py::handle value) {
  if (py::isinstance<py::str>(value)) return true;
  const py::object dimensions = py::getattr(value, "ndim", py::none());
  return (py::isinstance<py::int_>(dimensions) && dimensions.cast<int>() == 0) ||
         !py::isinstance<py::iterable>(value);
}

// Takes each field out of the dict once, so that what is left is none.
class Fields {
 public:
  explicit Fields(const py::dict& given)
      : left_(py::reinterpret_borrow<py::dict>(given.attr("copy")())) {}

  // None if it is not given.
  py::object take(const char* name) { return left_.attr("pop")(name, py::none()); }

  void text(const char* name, std::string& into) {
    const py::object value = take(name);
    if (value.is_none()) return;
    if (!py::isinstance<py::str>(value)) refuse(name, value, "a text");
    into = value.cast<std::string>();
  }

  void texts(const char* name, std::vector<std::string>& into) {
    const py::object value = take(name);
    if (value.is_none()) return;
    if (py::isinstance<py::str>(value)) {
      into = {value.cast<std::string>()};
      return;
    }
    if (!py::isinstance<py::iterable>(value) || PyAnySet_Check(value.ptr()) != 0) {
      refuse(name, value, "a name, or a list of names");
    }
    for (const py::handle one : value) into.push_back(std::string(py::str(one)));
  }

  void count(const char* name, std::int64_t least, std::size_t& into) {
    const py::object value = take(name);
    if (!value.is_none()) into = static_cast<std::size_t>(count_of(value, name, least, kMost));
  }

  void counts(const char* name, std::vector<std::size_t>& into) {
    const py::object value = take(name);
    if (value.is_none()) return;
    const auto add = [&](py::handle one) {
      into.push_back(static_cast<std::size_t>(count_of(one, name, 0, kMost)));
    };
    if (is_one(value)) return add(value);
    for (const py::handle one : value) add(one);
  }

  void flag(const char* name, bool& into) {
    const py::object value = take(name);
    if (value.is_none()) return;
    if (!py::isinstance<py::bool_>(value)) refuse(name, value, "True or False");
    into = value.cast<bool>();
  }

  void check_all_taken() const {
    for (const auto& [name, value] : left_) {
      throw Error(ErrorKind::kUnknown, {},
                  fmt::format("a run has no {}", std::string(py::str(name))));
    }
  }

 private:
  py::dict left_;
};

std::vector<std::string> methods_of(const py::object& given) {
  if (given.is_none()) return {};
  if (py::isinstance<py::str>(given)) {
    auto specs = split_specs(given.cast<std::string>());
    if (specs.empty() || (specs.size() == 1 && specs.front().empty())) {
      refuse("methods", given, "names, \"all\", or leave it out");
    }
    return specs;
  }
  std::vector<std::string> specs;
  const auto add = [&](py::handle one) {
    if (!py::isinstance<py::str>(one)) {
      refuse("methods", one,
             "names, as pcgs.methods() lists them; a Controller plays in the loop, with "
             "Aggregator(experts, controller)");
    }
    specs.push_back(one.cast<std::string>());
  };
  if (is_one(given)) {
    add(given);
  } else {
    for (const py::handle one : given) add(one);
  }
  if (specs.empty()) refuse("methods", given, "at least one name, or leave it out");
  return specs;
}

std::optional<TaskLoss> loss_of(const py::object& loss, const py::object& tau) {
  if (PyCallable_Check(loss.ptr()) != 0) {
    throw Error(ErrorKind::kRequest, {.field = "loss"},
                "a loss of your own plays in the loop, with Aggregator(experts, loss=...), or as "
                "losses, with run(pcgs.CustomLoss(function).losses(X, y), scale=\"auto\")");
  }
  if (loss.is_none() && tau.is_none()) return std::nullopt;
  return loss_options(loss.is_none() ? py::object(py::str("squared")) : loss, tau, py::none()).task;
}

std::string scale_of(const py::object& scale) {
  if (scale.is_none()) return {};
  if (py::isinstance<py::str>(scale)) return scale.cast<std::string>();
  return fmt::format("{}", number_of(scale, "scale"));
}

std::optional<std::vector<double>> intervals_of(const py::object& given) {
  if (given.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(given) || py::isinstance<py::bool_>(given)) {
    refuse("intervals", given, "levels between 0 and 1, such as (0.8, 0.95), or () for none");
  }
  if (is_one(given)) return std::vector{number_of(given, "intervals")};
  const Row row = row_of(given, "intervals");
  return std::vector<double>(row.values.begin(), row.values.end());
}

// Bytes, a path, or a result that has them.
void take_state(const py::object& given, Request& request) {
  if (given.is_none()) return;
  py::object state = py::hasattr(given, "state") ? py::object(given.attr("state")) : given;
  if (PyObject_CheckBuffer(state.ptr()) != 0) {
    const py::bytes bytes = py::reinterpret_steal<py::bytes>(PyBytes_FromObject(state.ptr()));
    if (!bytes) throw py::error_already_set();
    const auto text = static_cast<std::string_view>(bytes);
    request.state.assign(text.begin(), text.end());
    if (request.state.empty()) refuse("state", given, "the bytes that a result has as its state");
    return;
  }
  if (!py::isinstance<py::str>(state) && !py::hasattr(state, "__fspath__")) {
    refuse("state", given, "bytes, the path of a file, or an earlier result");
  }
  request.state_name = path_of(state);
  request.state = read_whole_file(request.state_name);
}

}  // namespace

Request request_of(const py::dict& given) {
  Fields fields(given);
  Request request;
  fields.text("outcome", request.outcome);
  fields.text("time", request.time);
  fields.text("known", request.known);
  fields.texts("series", request.series);
  fields.text("model_column", request.model_column);
  fields.texts("models", request.models);
  fields.texts("ignore", request.ignore);
  fields.texts("side", request.side);
  fields.text("quantiles", request.quantiles);
  request.methods = methods_of(fields.take("methods"));
  if (const py::object season = fields.take("season"); !season.is_none()) {
    request.season = seasons_of(season);
  }
  fields.count("block", 1, request.block);
  fields.count("delay", 0, request.delay);
  const py::object loss = fields.take("loss");
  request.loss = loss_of(loss, fields.take("tau"));
  request.scale = scale_of(fields.take("scale"));
  request.intervals = intervals_of(fields.take("intervals"));
  fields.flag("calibrate", request.calibrate);
  bool log1p = false;
  fields.flag("log1p", log1p);
  if (log1p) request.transform = QuantileScale::kLog1p;
  fields.counts("switches", request.switches);
  if (const py::object cost = fields.take("switch_cost"); !cost.is_none()) {
    request.switch_cost = number_of(cost, "switch_cost");
  }
  take_state(fields.take("state"), request);
  fields.flag("skip_learned", request.skip_learned);
  fields.texts("drop", request.drop);
  fields.count("threads", 1, request.threads);
  fields.check_all_taken();
  return request;
}

}  // namespace pcgs::python
