#include "named_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "pcgs/error.h"

namespace pcgs::python {

namespace {

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

}  // namespace

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

}  // namespace pcgs::python
