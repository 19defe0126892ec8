// Numbers from Python objects and back.
//
// An exact ndarray of float64 that is contiguous and aligned is read where it is. Anything else
// that NumPy can read as real numbers is converted. What it cannot, or only by dropping something
// (text, complex numbers, a mask), is refused with an Error: `what` names it there.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pcgs/matrix.h"

namespace pcgs::python {

namespace py = pybind11;

// As Python would write it.
std::string repr_of(py::handle object);

// Numbers, and what keeps them alive.
struct Row {
  py::object owner;
  std::span<const double> values;
};
struct Table {
  py::object owner;
  MatrixView values;
};

Row row_of(py::handle given, const char* what);
// `shape` says what its two dimensions are.
Table table_of(py::handle given, const char* what,
               const char* shape = "a row for each round and a column for each expert");
// Copies, which nobody changes meanwhile.
std::vector<double> numbers_of(py::handle given, const char* what);
Matrix matrix_of(py::handle given, const char* what);
double number_of(py::handle given, const char* what);
// None, or pandas.NA: what stands where there is no number.
bool is_missing(py::handle given);
// A number that counts something, in [low, high], and the number of a round.
std::int64_t count_of(py::handle given, const char* what, std::int64_t low, std::int64_t high);
std::int64_t round_of(py::handle given);
// [K] one flag per expert: booleans, or numbers that are 0 or 1.
std::vector<std::uint8_t> flags_of(py::handle given, const char* what);

// New arrays, which share nothing with the library.
py::array_t<double> array_of(std::span<const double> values);
py::array_t<double> read_only_array_of(std::span<const double> values);
py::array_t<double> array_of(const Matrix& matrix);
py::array_t<std::uint32_t> array_of(std::span<const std::uint32_t> experts);

}  // namespace pcgs::python
