#include "options.h"

#include <fmt/format.h>

#include <cmath>

#include "arrays.h"
#include "data/whole_file.h"
#include "pcgs/error.h"
#include "pcgs/registry.h"

namespace pcgs::python {

namespace {

constexpr std::int64_t kMost = 1000000;
constexpr std::int64_t kLongestSeason = 262144;

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

  // What `convert` makes of it, if it is given.
  template <class Field, class Convert>
  void give(const char* name, Field& into, const Convert& convert) {
    if (const py::object value = take(name); !value.is_none()) into = convert(name, value);
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

std::string text(const char* name, const py::object& value) {
  if (!py::isinstance<py::str>(value)) refuse(name, value, "a text");
  return value.cast<std::string>();
}

std::vector<std::string> texts(const char* name, const py::object& value) {
  if (py::isinstance<py::str>(value)) return {value.cast<std::string>()};
  if (!py::isinstance<py::iterable>(value) || PyAnySet_Check(value.ptr()) != 0) {
    refuse(name, value, "a name, or a list of names");
  }
  std::vector<std::string> out;
  for (const py::handle one : value) out.push_back(std::string(py::str(one)));
  return out;
}

std::size_t count(const char* name, py::handle value) {
  return static_cast<std::size_t>(count_of(value, name, 0, kMost));
}

std::size_t positive(const char* name, py::handle value) {
  return static_cast<std::size_t>(count_of(value, name, 1, kMost));
}

std::vector<std::size_t> counts(const char* name, const py::object& value) {
  if (is_one(value)) return {count(name, value)};
  std::vector<std::size_t> out;
  for (const py::handle one : value) out.push_back(count(name, one));
  return out;
}

bool flag(const char* name, const py::object& value) {
  if (!py::isinstance<py::bool_>(value)) refuse(name, value, "True or False");
  return value.cast<bool>();
}

std::vector<std::string> methods(const char* name, const py::object& given) {
  std::vector<std::string> specs;
  const auto add = [&](py::handle one) {
    if (!py::isinstance<py::str>(one)) {
      refuse(name, one,
             "names, as pcgs.methods() lists them; a Controller plays in the loop, with "
             "Aggregator(experts, controller)");
    }
    specs.push_back(one.cast<std::string>());
  };
  if (py::isinstance<py::str>(given)) {
    specs = split_specs(given.cast<std::string>());
  } else if (is_one(given)) {
    add(given);
  } else {
    for (const py::handle one : given) add(one);
  }
  if (specs.empty() || (specs.size() == 1 && specs.front().empty())) {
    refuse(name, given, "names, \"all\", or leave it out");
  }
  return specs;
}

std::string scale_text(const char* name, const py::object& scale) {
  if (py::isinstance<py::str>(scale)) return scale.cast<std::string>();
  return fmt::format("{}", number_of(scale, name));
}

std::vector<double> levels(const char* name, const py::object& given) {
  if (py::isinstance<py::str>(given) || py::isinstance<py::bool_>(given)) {
    refuse(name, given, "levels between 0 and 1, such as (0.8, 0.95), or () for none");
  }
  if (is_one(given)) return {number_of(given, name)};
  return numbers_of(given, name);
}

void take_loss(Fields& fields, Request& request) {
  const py::object loss = fields.take("loss"), tau = fields.take("tau");
  if (PyCallable_Check(loss.ptr()) != 0) {
    throw Error(ErrorKind::kRequest, {.field = "loss"},
                "a loss of your own plays in the loop, with Aggregator(experts, loss=...), or as "
                "losses, with run(pcgs.CustomLoss(function).losses(X, y), scale=\"auto\")");
  }
  if (loss.is_none() && tau.is_none()) return;
  request.loss = loss_of(loss.is_none() ? py::object(py::str("squared")) : loss, tau);
}

// Bytes, a path, or a result that has them.
void take_state(const py::object& given, Request& request) {
  if (given.is_none()) return;
  const py::object state = py::hasattr(given, "state") ? py::object(given.attr("state")) : given;
  if (PyObject_CheckBuffer(state.ptr()) != 0) {
    const py::bytes bytes = state_bytes(state);
    const auto held = bytes_in(static_cast<std::string_view>(bytes));
    request.state.assign(held.begin(), held.end());
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

TaskLoss loss_of(py::handle loss, py::handle tau) {
  if (!py::isinstance<py::str>(loss)) {
    throw Error(
        fmt::format("loss is {}; give its name: \"squared\", \"absolute\", \"pinball\" or \"log\"",
                    repr_of(loss)));
  }
  const auto name = loss.cast<std::string>();
  if (!tau.is_none() && name != "pinball") {
    throw Error("tau is the level of the pinball loss; give loss=\"pinball\", or leave it out");
  }
  return TaskLoss(name, tau.is_none() ? 0.5 : number_of(tau, "tau"));
}

LossScale scale_of(py::handle scale) {
  if (scale.is_none()) return {};
  if (!py::isinstance<py::str>(scale)) return LossScale::fixed(number_of(scale, "scale"));
  return LossScale::from(scale.cast<std::string>(), "scale");
}

std::vector<std::size_t> seasons_of(py::handle season) {
  const auto rounds = [](py::handle one) {
    return static_cast<std::size_t>(count_of(one, "season", 2, kLongestSeason));
  };
  if (!py::isinstance<py::iterable>(season)) return {rounds(season)};
  std::vector<std::size_t> seasons;
  for (const py::handle one : season) seasons.push_back(rounds(one));
  if (seasons.size() > 2 || (seasons.size() == 2 && seasons[0] >= seasons[1])) {
    throw Error(fmt::format("season is {}; give one number of rounds, or two, the shorter first",
                            repr_of(season)));
  }
  return seasons;
}

std::optional<IntervalOptions> interval_options(py::handle given) {
  IntervalOptions options;
  options.levels = levels("intervals", py::reinterpret_borrow<py::object>(given));
  if (options.levels.empty()) return std::nullopt;
  return options;
}

Request request_of(const py::dict& given) {
  Fields fields(given);
  Request request;
  fields.give("outcome", request.outcome, text);
  fields.give("time", request.time, text);
  fields.give("known", request.known, text);
  fields.give("series", request.series, texts);
  fields.give("model_column", request.model_column, text);
  fields.give("models", request.models, texts);
  fields.give("ignore", request.ignore, texts);
  fields.give("side", request.side, texts);
  fields.give("quantiles", request.quantiles, text);
  fields.give("methods", request.methods, methods);
  if (const py::object method = fields.take("method"); !method.is_none()) {
    if (!request.methods.empty()) {
      throw Error(ErrorKind::kRequest, {.field = "method"},
                  "method and methods are two names of one argument; give one of them");
    }
    request.methods = methods("method", method);
  }
  fields.give("season", request.season,
              [](const char*, py::handle season) { return seasons_of(season); });
  fields.give("block", request.block, positive);
  fields.give("delay", request.delay, count);
  take_loss(fields, request);
  fields.give("scale", request.scale, scale_text);
  fields.give("intervals", request.intervals, levels);
  fields.give("calibrate", request.calibrate, flag);
  bool log1p = false;
  fields.give("log1p", log1p, flag);
  if (log1p) request.transform = QuantileScale::kLog1p;
  fields.give("switches", request.switches, counts);
  fields.give("switch_cost", request.switch_cost,
              [](const char* name, py::handle cost) { return number_of(cost, name); });
  take_state(fields.take("state"), request);
  fields.give("skip_learned", request.skip_learned, flag);
  fields.give("drop", request.drop, texts);
  fields.give("threads", request.threads, positive);
  fields.check_all_taken();
  return request;
}

std::string path_of(py::handle given) {
  auto path = py::module_::import("os").attr("fsencode")(given).cast<std::string>();
  // The system would stop reading there, and another file would be written.
  if (path.find('\0') != std::string::npos) {
    throw Error(fmt::format("the path {} has a NUL in it, which no file's has; give another",
                            repr_of(given)));
  }
  return path;
}

py::bytes state_bytes(py::handle state) {
  if (PyObject_CheckBuffer(state.ptr()) == 0) {
    throw Error(
        fmt::format("the state is {}; give the bytes that to_bytes() returned", repr_of(state)));
  }
  auto bytes = py::reinterpret_steal<py::bytes>(PyBytes_FromObject(state.ptr()));
  if (!bytes) throw py::error_already_set();
  return bytes;
}

py::bytes py_bytes(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::uint8_t> bytes_in(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string note_bytes(py::handle note) {
  // Text with halves of letters has no bytes.
  const auto bytes = py::reinterpret_steal<py::object>(
      PyUnicode_Check(note.ptr()) != 0 ? PyUnicode_AsUTF8String(note.ptr()) : note.inc_ref().ptr());
  if (!bytes) PyErr_Clear();
  if (!bytes || !py::isinstance<py::bytes>(bytes)) {
    throw Error(fmt::format("note is {}; give text or bytes", repr_of(note)));
  }
  return bytes.cast<std::string>();
}

py::dict attributes_of(const py::object& self) { return py::getattr(self, "__dict__", py::dict()); }

}  // namespace pcgs::python
