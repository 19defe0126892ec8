// pcgs._pcgs: the part of the Python package that is compiled; its errors in Python's words.
#include "module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "pcgs/registry.h"

namespace pcgs::python {

namespace {

// pybind11 before 2.12 takes arrays of NumPy 2 for others: every element would be the first one.
void refuse_numpy_that_is_misread() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  const auto numpy = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(numpy) < 2) return;
  throw py::import_error("pcgs was built with pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) +
                         "." + std::to_string(PYBIND11_VERSION_MINOR) +
                         ", which cannot read NumPy " + numpy +
                         "; install it with pip, which builds it with a newer one");
#endif
}

// pcgs.methods(): what there is to choose from.
void add_methods(py::module_& m) {
  m.def(
      "methods",
      [] {
        py::dict out;
        for (const MethodInfo& method : registered_methods()) {
          out[py::str(std::string(method.name))] = std::string(method.summary);
        }
        return out;
      },
      R"(methods()

Every method there is, with a line about each, in the order of tables.

>>> import pcgs
>>> pcgs.methods()["guard"]
'stays with the best of pcgs-tf, a bank of share filters, ml-poly, boa and adahedge'

Options go into braces, as in "fixed-share{eta=8,rho=0.003}"; `pcgs methods` shows them. pcgs.run
takes "hedge*" and "fixed-share*" too, the best rates of a grid chosen in hindsight.)");
}

// ---- Errors -------------------------------------------------------------------------------------

// pcgs::Error becomes pcgs.Error, with its kind and place.
// Lives as long as the process: exceptions of it may outlive the module's dictionary.
PyObject* error_type = nullptr;

// What a field of a request is called here.
std::string argument(std::string_view field) {
  if (field == "outcome") return "y";
  if (field == "series") return "by";
  if (field == "ignore") return "frame.drop(columns=...)";
  return std::string(field);
}

// As it is written in Python: a number, or a letter that stands for one, as it is; else a text.
std::string literal(std::string_view value) {
  if (value.empty()) return "True";
  if (value == "none") return "()";
  const bool plain = std::ranges::all_of(value, [](unsigned char c) {
    return std::isdigit(c) != 0 || std::isupper(c) != 0 || c == '.';
  });
  return plain ? std::string(value) : fmt::format("\"{}\"", value);
}

// A sentence may quote bytes of a file or a path that are not UTF-8.
py::str text_of(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

py::object or_none(const std::string& text) {
  return text.empty() ? py::object(py::none()) : py::object(text_of(text));
}

py::object or_none(std::size_t number) {
  return number == 0 ? py::object(py::none()) : py::object(py::int_(number));
}

void raise(const Error& error) {
  py::object raised =
      py::reinterpret_borrow<py::object>(error_type)(text_of(error.in_words_of(python_words())));
  const ErrorPlace& place = error.place();
  raised.attr("kind") = std::string(kind_name(error.kind()));
  raised.attr("file") = or_none(place.file);
  raised.attr("row") = or_none(place.row);
  raised.attr("line") = or_none(place.line);
  raised.attr("column") = or_none(place.column);
  raised.attr("field") = or_none(place.field.empty() ? place.field : argument(place.field));
  PyErr_SetObject(error_type, raised.ptr());
}

void add_errors(py::module_& m) {
  py::object type = py::module_::import("pcgs._error").attr("Error");
  m.attr("Error") = type;
  error_type = type.release().ptr();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      try {
        raise(error);
      } catch (py::error_already_set& other) {  // no memory, say
        other.restore();
      }
    }
  });
}

}  // namespace

const Wording& python_words() {
  static const Wording words{[](std::string_view name) { return argument(name); },
                             [](std::string_view name, std::string_view value) {
                               if (name == "calibrate") return std::string("calibrate=False");
                               return fmt::format("{}={}", argument(name), literal(value));
                             }};
  return words;
}

}  // namespace pcgs::python

PYBIND11_MODULE(_pcgs, m) {
  using namespace pcgs::python;
  refuse_numpy_that_is_misread();
  // Signatures are in _pcgs.pyi, where editors and type checkers look for them.
  pybind11::options options;
  options.disable_function_signatures();
  m.doc() = "The compiled part of pcgs; import pcgs instead.";
  m.attr("__version__") = PCGS_VERSION;
  add_errors(m);
  add_methods(m);
  bind_aggregator(m);
  bind_hindsight(m);
  bind_run(m);
  bind_expert_pool(m);
  bind_quantile_panel(m);
}
