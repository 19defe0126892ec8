// pcgs.run_series: several runs looked at together, as `pcgs run --by` does.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "construction_guard.h"
#include "pcgs/error.h"
#include "report_page.h"
#include "run.h"
#include "show/forecast_answer.h"
#include "show/series_result.h"
#if __has_include("show/report.h")
#include "show/run_page.h"
#endif

namespace pcgs::python {

namespace py = pybind11;

namespace {

struct Together {
  results::SeriesResult result;
  std::string origin;
};

Together together(std::vector<std::string> by, const std::vector<std::vector<std::string>>& keys,
                  const std::vector<const Run*>& runs, std::string origin) {
  if (runs.empty() || keys.size() != runs.size()) {
    throw Error(fmt::format("{} keys for {} series; give one for each", keys.size(), runs.size()));
  }
  std::vector<results::JudgedSeries> judged;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i]->answer();  // refuses losses
    judged.push_back(results::judge_series(keys[i], runs[i]->problem, runs[i]->comparison));
  }
  const compare::Problem& first = runs.front()->problem;
  return {results::series_result(std::move(by), first.experts, first.task, std::move(judged)),
          std::move(origin)};
}

std::string page_of(const Together& one) {
#if __has_include("show/report.h")
  return report::series_page(one.result, one.origin);
#else
  return one.origin;  // nobody asks: there are no pages
#endif
}

}  // namespace

void bind_series(py::module_& m) {
  py::class_<Together>(m, "Together", kMadeByUsOnly,
                       "What pcgs.run_series keeps; pcgs.SeriesResult is its face.")
      .def("json", [](const Together& one) { return results::to_json(one.result); })
      .def("table",
           [](const Together& one) { return results::series_table(one.result, one.origin); })
      .def("headline", [](const Together& one) { return results::headline(one.result.answer); })
      .def(
          "report",
          [](const Together& one, py::handle path) {
            write_page(path, [&] { return page_of(one); });
          },
          py::arg("path"));
  m.def("together", &together, py::arg("by"), py::arg("keys"), py::arg("runs"), py::arg("origin"));
}

}  // namespace pcgs::python
