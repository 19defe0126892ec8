#include "rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>

#include "pcgs/error.h"

namespace pcgs::python {

namespace {

constexpr std::int64_t kMostExperts = 1 << 24;

// ---- By name -------------------------------------------------------------------------------------

using Labels = std::vector<std::string>;

std::string text_of(py::handle object) { return py::str(object).cast<std::string>(); }

bool is_plain(py::handle given) {
  return py::isinstance<py::array>(given) || PyList_Check(given.ptr()) != 0 ||
         PyTuple_Check(given.ptr()) != 0;
}

bool is_dict(py::handle given) {
  return PyDict_Check(given.ptr()) != 0 ||
         (py::hasattr(given, "keys") && py::hasattr(given, "items") &&
          !py::hasattr(given, "to_numpy"));
}

bool is_series(py::handle given) {
  if (!py::hasattr(given, "index") || !py::hasattr(given, "to_numpy")) return false;
  return PyCallable_Check(given.attr("index").ptr()) ==
         0;  // lists and Arrow's arrays search with it
}

Labels labels_in(py::handle labels) {
  Labels out;
  for (const py::handle label : labels) out.push_back(text_of(label));
  return out;
}

// Where each of the names stands among the labels.
std::vector<std::size_t> places_of(std::span<const std::string> names, const Labels& labels,
                                   const char* what) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto found = std::find(labels.begin(), labels.end(), name);
    if (found == labels.end()) {
      throw Error(fmt::format("{}: there is no label {}; give one for each expert", what, name));
    }
    if (std::find(found + 1, labels.end(), name) != labels.end()) {
      throw Error(fmt::format("{}: the label {} is there twice; give it once", what, name));
    }
    places.push_back(static_cast<std::size_t>(found - labels.begin()));
  }
  if (labels.size() != names.size()) {
    throw Error(fmt::format("{}: {} labels for {} experts; give one for each", what, labels.size(),
                            names.size()));
  }
  return places;
}

Row put_in_order(Row given, const Labels& labels, std::span<const std::string> names,
                 const char* what) {
  if (names.empty() || std::equal(labels.begin(), labels.end(), names.begin(), names.end())) {
    return given;
  }
  const auto places = places_of(names, labels, what);
  py::array_t<double> ordered(static_cast<py::ssize_t>(names.size()));
  double* out = ordered.mutable_data();
  for (std::size_t k = 0; k < names.size(); ++k) out[k] = given.values[places[k]];
  const std::span<const double> values(ordered.data(), names.size());
  return {std::move(ordered), values};
}

NamedRow row_of_dict(py::handle given, std::span<const std::string> names, const char* what) {
  if (names.empty()) {
    throw Error(
        fmt::format("{}: a dict is by name, and the experts have none; make the Aggregator with "
                    "their names, or "
                    "give numbers in their order",
                    what));
  }
  py::array_t<double> values(static_cast<py::ssize_t>(names.size()));
  double* const out = values.mutable_data();
  std::fill_n(out, names.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<std::uint8_t> said(names.size(), 0);
  for (const py::handle item : py::iter(given.attr("items")())) {
    const auto pair = py::reinterpret_borrow<py::tuple>(item);
    const std::string name = text_of(pair[0]);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw Error(fmt::format("{}: there is no expert {}; there are {}", what, name,
                              fmt::join(names, ", ")));
    }
    const auto k = static_cast<std::size_t>(found - names.begin());
    if (said[k] != 0) {
      throw Error(fmt::format("{}: {} is there twice; give it once", what, name));
    }
    if (is_missing(pair[1])) continue;
    said[k] = 1;
    out[k] = number_of(pair[1], fmt::format("{} of {}", what, name).c_str());
  }
  const std::span<const double> row(values.data(), names.size());
  const bool all = std::find(said.begin(), said.end(), 0) == said.end();
  return {{std::move(values), row}, all ? std::vector<std::uint8_t>() : std::move(said)};
}

void check_one_row(std::size_t rows, const char* what) {
  if (rows == 1) return;
  throw Error(fmt::format("{}: the frame has {} rows; give one, a round at a time", what, rows));
}

// ---- Quantiles -----------------------------------------------------------------------------------

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

ExpertNames expert_names(py::handle experts) {
  if (PyIndex_Check(experts.ptr()) != 0 && !py::hasattr(experts, "__len__")) {
    return {static_cast<std::size_t>(count_of(experts, "the number of experts", 1, kMostExperts)),
            {}};
  }
  py::object names = py::reinterpret_borrow<py::object>(experts);
  if (py::hasattr(experts, "columns")) names = experts.attr("columns");
  if (py::isinstance<py::str>(names) || py::isinstance<py::bytes>(names) ||
      !py::isinstance<py::iterable>(names)) {
    throw Error(fmt::format("experts is {}; give how many there are, or a list of their names",
                            repr_of(experts)));
  }
  if (PyAnySet_Check(names.ptr()) != 0) {
    throw Error("experts is a set, which has no order; give a list of their names");
  }
  ExpertNames found;
  std::set<std::string> seen;
  for (const py::handle name : names) {
    found.names.push_back(std::string(py::str(name)));
    if (!seen.insert(found.names.back()).second) {
      throw Error(ErrorKind::kDuplicate, {.column = found.names.back()},
                  "the name is given to two experts; give each its own");
    }
  }
  if (found.names.empty())
    throw Error(ErrorKind::kMissing, {}, "there are no experts to combine; give at least one");
  found.count = found.names.size();
  return found;
}

std::string name_of(py::handle given, const char* whose) {
  if (PyUnicode_Check(given.ptr()) == 0) {
    throw Error(fmt::format("the name of {} is {}; give text", whose, repr_of(given)));
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
  if (text == nullptr) {  // halves of letters
    PyErr_Clear();
    throw Error(fmt::format("the name of {} is {}, which is no UTF-8; give another", whose,
                            repr_of(given)));
  }
  return {text, static_cast<std::size_t>(size)};
}

NamedRow named_row_of(py::handle given, std::span<const std::string> names, const char* what) {
  if (is_plain(given)) return {row_of(given, what), {}};
  if (is_dict(given)) return row_of_dict(given, names, what);
  if (py::hasattr(given, "column_names") && py::hasattr(given, "to_pylist")) {  // Arrow's
    const py::list rows = given.attr("to_pylist")();
    check_one_row(rows.size(), what);
    return row_of_dict(rows[0], names, what);
  }
  if (py::hasattr(given, "columns") && py::hasattr(given, "to_numpy")) {
    const Table table = table_of(given, what);
    check_one_row(table.values.rows, what);
    const Row row{table.owner, {table.values.data, table.values.columns}};
    return {put_in_order(row, labels_in(given.attr("columns")), names, what), {}};
  }
  if (names.empty() || !is_series(given)) return {row_of(given, what), {}};
  return {put_in_order(row_of(given, what), labels_in(given.attr("index")), names, what), {}};
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
