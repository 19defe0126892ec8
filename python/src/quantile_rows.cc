#include "quantile_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "arrays.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace {

std::string shown(py::handle object) { return py::repr(object).cast<std::string>(); }

void add_row(QuantileRows& rows, std::string expert, std::span<const double> row) {
  rows.experts.push_back(std::move(expert));
  rows.values.insert(rows.values.end(), row.begin(), row.end());
}

QuantileRows rows_of_dict(const py::dict& given, std::size_t levels) {
  QuantileRows rows;
  for (const auto& [key, value] : given) {
    std::string expert = name_of(key, "an expert");
    if (value.is_none()) continue;
    const std::string what = fmt::format("the quantiles of {}", expert);
    const Row row = row_of(value, what.c_str());
    if (row.values.size() != levels) {
      throw Error(
          fmt::format("{}: here are {} for {} levels; give one for each, and NaN where there is "
                      "none",
                      what, row.values.size(), levels));
    }
    add_row(rows, std::move(expert), row.values);
  }
  return rows;
}

// Rows would be mistaken for one another if only their number were looked at, and so would columns.
QuantileRows rows_of_frame(py::handle given, std::span<const double> levels) {
  const Table table = table_of(given, "quantiles");
  std::vector<double> columns;
  for (const py::handle label : given.attr("columns")) {
    if (PyFloat_Check(label.ptr()) != 0) columns.push_back(PyFloat_AS_DOUBLE(label.ptr()));
  }
  if (table.values.columns != columns.size() || !std::ranges::equal(columns, levels)) {
    throw Error(fmt::format(
        "quantiles: the columns of the frame are not the levels; call them {}, in that order",
        fmt::join(levels, ", ")));
  }
  QuantileRows rows;
  std::unordered_set<std::string> seen;
  for (const py::handle label : given.attr("index")) {
    std::string expert = name_of(label, "an expert");
    if (!seen.insert(expert).second) {
      throw Error(fmt::format("quantiles: {} has two rows in the frame; give one", expert));
    }
    const std::size_t row = rows.experts.size();
    if (row == table.values.rows) break;
    add_row(rows, std::move(expert), table.values.row(row));
  }
  if (seen.size() != table.values.rows) {
    throw Error("quantiles: the frame has not as many labels as rows; give one for each");
  }
  return rows;
}

QuantileRows rows_of_array(py::handle given, std::size_t levels,
                           std::span<const std::string> known) {
  const Table table =
      table_of(given, "quantiles", "a row for each expert and a column for each level");
  const auto& values = table.values;
  if (values.rows != known.size() || values.columns != levels) {
    throw Error(fmt::format(
        "quantiles: the array has shape ({}, {}); give ({}, {}), a row for each of panel.experts "
        "and a column for each of panel.levels, or a dict by the names of the experts",
        values.rows, values.columns, known.size(), levels));
  }
  return {{known.begin(), known.end()}, {values.data, values.data + values.rows * values.columns}};
}

}  // namespace

std::string name_of(py::handle given, const char* whose) {
  if (PyUnicode_Check(given.ptr()) == 0) {
    throw Error(fmt::format("the name of {} is {}; give text", whose, shown(given)));
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
  if (text == nullptr) {  // halves of letters
    PyErr_Clear();
    throw Error(
        fmt::format("the name of {} is {}, which is no UTF-8; give another", whose, shown(given)));
  }
  return {text, static_cast<std::size_t>(size)};
}

QuantileRows quantile_rows(py::handle given, std::span<const double> levels,
                           std::span<const std::string> known) {
  if (given.is_none()) {
    throw Error(
        "quantiles is None; give a dict by the names of the experts, or an array with a row for "
        "each");
  }
  if (py::isinstance(given, py::module_::import("collections.abc").attr("Mapping"))) {
    return rows_of_dict(py::dict(py::reinterpret_borrow<py::object>(given)), levels.size());
  }
  if (py::hasattr(given, "to_numpy") && py::hasattr(given, "columns")) {
    return rows_of_frame(given, levels);
  }
  return rows_of_array(given, levels.size(), known);
}

}  // namespace pcgs::python
