#include "arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pcgs/error.h"

namespace pcgs::python {

namespace {

using NumPy = py::detail::npy_api;
constexpr int kWanted = NumPy::NPY_ARRAY_C_CONTIGUOUS_ | NumPy::NPY_ARRAY_ALIGNED_;
using Doubles = py::array_t<double, kWanted | py::array::forcecast>;

std::string text_of(py::handle object) { return py::str(object).cast<std::string>(); }
std::string type_of(py::handle object) {
  return text_of(py::type::handle_of(object).attr("__name__"));
}

bool usable_as_it_is(py::handle given) {
  if (Py_TYPE(given.ptr()) != NumPy::get().PyArray_Type_) return false;
  const auto& array = py::reinterpret_borrow<py::array>(given);
  if ((array.flags() & kWanted) != kWanted) return false;
  return py::array_t<double>::check_(given);
}

[[noreturn]] void refuse(const char* what, const std::string& why) {
  throw Error(ErrorKind::kValue, {.field = what},
              fmt::format("{}: {}; give real numbers", what, why));
}

bool is_number(py::handle object) {
  return PyFloat_Check(object.ptr()) != 0 || PyLong_Check(object.ptr()) != 0;
}

// NumPy reads what is hidden as if it were not, also in a list of masked arrays.
void check_not_masked(py::handle given, const char* what) {
  const auto masked = py::module_::import("numpy.ma").attr("MaskedArray");
  const auto check = [&](py::handle one, const char* which) {
    if (is_number(one) || !py::isinstance(one, masked)) return;
    throw Error(
        fmt::format("{}: {} a masked array, whose hidden numbers would be used; give "
                    ".filled(numpy.nan)",
                    what, which));
  };
  check(given, "this is");
  if (PyList_Check(given.ptr()) == 0 && PyTuple_Check(given.ptr()) == 0) return;
  for (const py::handle one : given) check(one, "here is");
}

// A pandas object's own idea of an array. Columns with its own missing value, pandas.NA, come as
// Python objects unless they are asked for as numbers; only then, since text would be read too.
py::object array_of_pandas(py::handle given) {
  const py::object plain = given.attr("to_numpy")();
  const auto array = py::array::ensure(plain);
  if (!array || array.dtype().kind() != 'O') return plain;
  const auto real = py::module_::import("numbers").attr("Real");
  for (const py::handle one : array.attr("ravel")()) {
    if (!is_number(one) && type_of(one) != "NAType" && !py::isinstance(one, real)) return plain;
  }
  try {
    return given.attr("to_numpy")(py::arg("dtype") = "float64",
                                  py::arg("na_value") = std::numeric_limits<double>::quiet_NaN());
  } catch (const py::error_already_set&) {
    return plain;  // not pandas after all
  }
}

Doubles convert(py::handle given, const char* what) {
  if (given.is_none()) refuse(what, "here is None");
  check_not_masked(given, what);
  const py::object source = py::hasattr(given, "to_numpy")
                                ? array_of_pandas(given)
                                : py::reinterpret_borrow<py::object>(given);
  const auto array = py::array::ensure(source);
  if (!array) refuse(what, fmt::format("{} is not an array of numbers", type_of(given)));
  const char kind = array.dtype().kind();
  if (kind == 'O') {
    refuse(what, "the array holds Python objects (dtype object), which may be anything");
  }
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b') {
    refuse(what, fmt::format("the array is of dtype {}", text_of(array.dtype())));
  }
  auto doubles = Doubles::ensure(array);
  if (!doubles) refuse(what, fmt::format("dtype {} cannot be read", text_of(array.dtype())));
  return doubles;
}

py::array as_doubles(py::handle given, const char* what) {
  if (usable_as_it_is(given)) return py::reinterpret_borrow<py::array>(given);
  return convert(given, what);
}

std::string shape_of(const py::array& array) { return text_of(array.attr("shape")); }

std::span<const double> values_of(const py::array& array) {
  return {static_cast<const double*>(array.data()), static_cast<std::size_t>(array.size())};
}

}  // namespace

std::string repr_of(py::handle object) { return text_of(py::repr(object)); }

Row row_of(py::handle given, const char* what) {
  py::array array = as_doubles(given, what);
  if (array.ndim() != 1) {
    throw Error(fmt::format("{}: the array has shape {}; give one dimension, a number for each",
                            what, shape_of(array)));
  }
  const auto values = values_of(array);
  return {std::move(array), values};
}

Table table_of(py::handle given, const char* what, const char* shape) {
  py::array array = as_doubles(given, what);
  if (array.ndim() != 2) {
    throw Error(fmt::format("{}: the array has shape {}; give two dimensions, {}", what,
                            shape_of(array), shape));
  }
  const MatrixView values = {static_cast<const double*>(array.data()),
                             static_cast<std::size_t>(array.shape(0)),
                             static_cast<std::size_t>(array.shape(1))};
  return {std::move(array), values};
}

std::vector<double> numbers_of(py::handle given, const char* what) {
  const Row row = row_of(given, what);
  return {row.values.begin(), row.values.end()};
}

Matrix matrix_of(py::handle given, const char* what) {
  const Table table = table_of(given, what);
  Matrix matrix(table.values.rows, table.values.columns);
  std::copy_n(table.values.data, matrix.values.size(), matrix.values.begin());
  return matrix;
}

bool is_missing(py::handle given) { return given.is_none() || type_of(given) == "NAType"; }

double number_of(py::handle given, const char* what) {
  if (PyFloat_Check(given.ptr()) != 0) return PyFloat_AS_DOUBLE(given.ptr());
  if (PyLong_Check(given.ptr()) != 0) {
    const double value = PyLong_AsDouble(given.ptr());
    if (PyErr_Occurred() == nullptr) return value;
    PyErr_Clear();
    refuse(what, "the number is beyond the range of a double");
  }
  const py::array array = as_doubles(given, what);
  if (array.size() != 1) {
    throw Error(fmt::format("{}: the array has shape {}; give one number", what, shape_of(array)));
  }
  return *static_cast<const double*>(array.data());
}

std::int64_t count_of(py::handle given, const char* what, std::int64_t low, std::int64_t high) {
  const auto refused = [&](const std::string& found) {
    return Error(
        ErrorKind::kValue, {.field = what},
        fmt::format("{} is {}; give a whole number from {} to {}", what, found, low, high));
  };
  if (PyBool_Check(given.ptr()) != 0 || PyIndex_Check(given.ptr()) == 0) {
    throw refused(repr_of(given));
  }
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
  if (!number) {  // an array of several numbers, say
    PyErr_Clear();
    throw refused(repr_of(given));
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || value < low || value > high) throw refused(text_of(number));
  return value;
}

std::int64_t round_of(py::handle given) {
  return count_of(given, "round", 1, std::int64_t{1} << 62);
}

std::vector<std::uint8_t> flags_of(py::handle given, const char* what) {
  const Row row = row_of(given, what);
  std::vector<std::uint8_t> flags;
  for (const double x : row.values) {
    if (x != 0 && x != 1) {
      throw Error(
          fmt::format("{}: {} is neither True nor False; give one for each expert", what, x));
    }
    flags.push_back(x != 0 ? 1 : 0);
  }
  return flags;
}

py::array_t<double> array_of(std::span<const double> values) {
  // Made from a pointer, an array would first be a view and then copied: twice the work.
  py::array_t<double> array(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), array.mutable_data());
  return array;
}

py::array_t<double> read_only_array_of(std::span<const double> values) {
  auto array = array_of(values);
  py::detail::array_proxy(array.ptr())->flags &= ~NumPy::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::array_t<double> array_of(const Matrix& matrix) {
  py::array_t<double> out({matrix.rows, matrix.columns});
  std::copy(matrix.values.begin(), matrix.values.end(), out.mutable_data());
  return out;
}

py::array_t<std::uint32_t> array_of(std::span<const std::uint32_t> experts) {
  return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(experts.size()), experts.data());
}

}  // namespace pcgs::python
