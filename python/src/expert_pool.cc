// pcgs.ExpertPool: forecasters of one series, for those who bring no forecasts of their own.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.h"
#include "bindings.h"
#include "construction_guard.h"
#include "paths.h"
#include "pcgs/error.h"
#include "pcgs/experts.h"

namespace pcgs::python {

namespace {

constexpr const char* kClass = R"(ExpertPool(seasons=(), *, file=None)

Simple forecasters of one series, strictly online: the standard pool for a series with these seasons
(shortest first, in steps: 24 and 168 for hourly values), or the experts that a JSON file describes
(docs/experts.md).

>>> import pcgs
>>> pool = pcgs.ExpertPool(seasons=[24])
>>> agg = pcgs.Aggregator(experts=pool.names, method="ml-poly")
>>> for hour in range(100):
...     forecast = agg.predict(pool.forecast())     # NaN from experts that cannot say yet
...     y = 20.0 + hour % 24
...     agg.learn(y)
...     pool.observe(y)
>>> abs(agg.predict(pool.forecast()) - (20 + 100 % 24)) < 1
True

Pools can be pickled and deep-copied.)";

// What the pool was made from goes with it, since a state does not say.
struct Pool : ZeroedUntilConstructed {
  std::vector<std::size_t> seasons;
  py::object file;                   // None, or the path of a JSON file
  std::unique_ptr<ExpertPool> made;  // null: no constructor has run

  ExpertPool& pool() const {
    if (made == nullptr) throw Error("this pool was never made; call ExpertPool()");
    return *made;
  }
};

std::unique_ptr<Pool> make_pool(const py::object& seasons, py::object file) {
  if (!py::isinstance<py::iterable>(seasons)) {
    throw Error(
        fmt::format("seasons is {}; give a list, as in [24, 168]", std::string(py::repr(seasons))));
  }
  std::vector<std::size_t> steps;
  for (const py::handle season : seasons) {
    steps.push_back(static_cast<std::size_t>(
        count_of(season, "a season", 1, static_cast<std::int64_t>(kLongestReach))));
  }
  if (!file.is_none() && !steps.empty()) {
    throw Error("give the pool seasons or a file that describes it, not both");
  }
  Experts experts = file.is_none() ? standard_experts(steps) : read_experts(path_of(file));
  auto pool = std::make_unique<Pool>();
  pool->seasons = std::move(steps);
  pool->file = std::move(file);
  pool->made = std::make_unique<ExpertPool>(std::move(experts));
  return pool;
}

}  // namespace

void bind_expert_pool(py::module_& m) {
  py::class_<Pool>(m, "ExpertPool", kClass)
      .def(py::init(&make_pool), py::arg("seasons") = py::tuple(), py::kw_only(),
           py::arg("file") = py::none())
      .def_property_readonly(
          "names", [](const Pool& self) { return self.pool().names(); }, "Their names.")
      .def("__len__", [](const Pool& self) { return self.pool().size(); })
      .def(
          "forecast",
          [](const Pool& self) {
            py::array_t<double> out(static_cast<py::ssize_t>(self.pool().size()));
            self.pool().forecast({out.mutable_data(), self.pool().size()});
            return out;
          },
          "forecast()\n\n[K] of the next value; NaN where an expert cannot say.")
      .def(
          "observe", [](Pool& self, py::handle y) { self.pool().observe(number_of(y, "y")); },
          py::arg("y"), "observe(y)\n\nThe next value of the series; NaN for a gap.")
      .def("__repr__",
           [](const Pool& self) {
             return fmt::format("<pcgs.ExpertPool: {} experts>", self.pool().size());
           })
      .def(py::pickle(
          [](const Pool& self) {
            const auto bytes = self.pool().save_bytes();
            return py::make_tuple(
                self.seasons, self.file,
                py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
          },
          [](const py::tuple& state) {
            if (state.size() != 3 || !py::isinstance<py::bytes>(state[2])) {
              throw Error("this is not the pickled state of an ExpertPool");
            }
            auto made = make_pool(state[0], state[1]);
            const auto bytes = state[2].cast<std::string_view>();
            made->pool().load_bytes(
                {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "the state");
            return made;
          }));
}

}  // namespace pcgs::python
