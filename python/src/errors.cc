// pcgs::Error becomes pcgs.Error, in Python's words and with its kind and place.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "module.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace {

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

}  // namespace

const Wording& python_words() {
  static const Wording words{[](std::string_view name) { return argument(name); },
                             [](std::string_view name, std::string_view value) {
                               if (name == "calibrate") return std::string("calibrate=False");
                               return fmt::format("{}={}", argument(name), literal(value));
                             }};
  return words;
}

void bind_errors(py::module_& m) {
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

}  // namespace pcgs::python
