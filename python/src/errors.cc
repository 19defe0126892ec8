// pcgs::Error becomes pcgs.Error, a ValueError with the same sentence.
#include "bindings.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace {

// Lives as long as the process: exceptions of it may outlive the module's dictionary.
PyObject* error_type = nullptr;

}  // namespace

void bind_errors(pybind11::module_& m) {
  error_type = PyErr_NewExceptionWithDoc(
      "pcgs.Error",
      "Input that cannot be used. The message is a sentence that says where, what was found, and\n"
      "what would be accepted.",
      PyExc_ValueError, nullptr);
  if (error_type == nullptr) throw pybind11::error_already_set();
  m.add_object("Error", pybind11::handle(error_type));
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      // A sentence may quote bytes of a file or a path that are not UTF-8.
      PyObject* text = PyUnicode_DecodeUTF8(
          error.what(), static_cast<Py_ssize_t>(std::string_view(error.what()).size()), "replace");
      if (text == nullptr) return;
      PyErr_SetObject(error_type, text);
      Py_DECREF(text);
    }
  });
}

}  // namespace pcgs::python
