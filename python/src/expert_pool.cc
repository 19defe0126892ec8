// pcgs.ExpertPool: forecasters of one series, for those who bring no forecasts of their own.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.h"
#include "held.h"
#include "module.h"
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

struct Pool : Held<Pool, ExpertPool> {
  static constexpr const char *kWhat = "pool", *kMaker = "ExpertPool()";
  // What it was made from goes with it, since a state does not say.
  std::vector<std::size_t> seasons;
  py::object file;  // None, or the path of a JSON file

  ExpertPool& pool() {
    at_rest();
    return *one_;
  }
  void take(Experts experts) { one_ = std::make_unique<ExpertPool>(std::move(experts)); }
};

std::unique_ptr<Pool> make_pool(const py::object& seasons, py::object file) {
  if (!py::isinstance<py::iterable>(seasons)) {
    throw Error(fmt::format("seasons is {}; give a list, as in [24, 168]", repr_of(seasons)));
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
  pool->take(std::move(experts));
  return pool;
}

}  // namespace

void bind_expert_pool(py::module_& m) {
  py::class_<Pool>(m, "ExpertPool", kClass)
      .def(py::init(&make_pool), py::arg("seasons") = py::tuple(), py::kw_only(),
           py::arg("file") = py::none())
      .def_property_readonly(
          "names", [](const Pool& self) { return self.at_rest().names(); }, "Their names.")
      .def("__len__", [](const Pool& self) { return self.at_rest().size(); })
      .def(
          "forecast",
          [](const Pool& self) {
            const std::size_t experts = self.at_rest().size();
            py::array_t<double> out(static_cast<py::ssize_t>(experts));
            self.at_rest().forecast({out.mutable_data(), experts});
            return out;
          },
          "forecast()\n\n[K] of the next value; NaN where an expert cannot say.")
      .def(
          "observe", [](Pool& self, py::handle y) { self.pool().observe(number_of(y, "y")); },
          py::arg("y"), "observe(y)\n\nThe next value of the series; NaN for a gap.")
      .def("__repr__",
           [](const Pool& self) {
             return fmt::format("<pcgs.ExpertPool: {} experts>", self.at_rest().size());
           })
      .def(py::pickle(
          [](const Pool& self) {
            return py::make_tuple(self.seasons, self.file, py_bytes(self.at_rest().save_bytes()));
          },
          [](const py::tuple& state) {
            if (state.size() != 3 || !py::isinstance<py::bytes>(state[2])) {
              throw Error("this is not the pickled state of an ExpertPool");
            }
            auto made = make_pool(state[0], state[1]);
            made->pool().load_bytes(bytes_in(state[2].cast<std::string_view>()), "the state");
            return made;
          }));
}

}  // namespace pcgs::python
