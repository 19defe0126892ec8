#include "state_bytes.h"

#include <fmt/format.h>

#include "pcgs/error.h"

namespace pcgs::python {

namespace py = pybind11;

py::bytes state_bytes(const py::object& state) {
  if (PyObject_CheckBuffer(state.ptr()) == 0) {
    throw Error(fmt::format("the state is {}; give the bytes that to_bytes() returned",
                            std::string(py::repr(state))));
  }
  auto bytes = py::reinterpret_steal<py::bytes>(PyBytes_FromObject(state.ptr()));
  if (!bytes) throw py::error_already_set();
  return bytes;
}

std::string note_bytes(py::handle note) {
  // Text with halves of letters has no bytes.
  const auto bytes = py::reinterpret_steal<py::object>(
      PyUnicode_Check(note.ptr()) != 0 ? PyUnicode_AsUTF8String(note.ptr()) : note.inc_ref().ptr());
  if (!bytes) PyErr_Clear();
  if (!bytes || !py::isinstance<py::bytes>(bytes)) {
    throw Error(fmt::format("note is {}; give text or bytes", std::string(py::repr(note))));
  }
  return bytes.cast<std::string>();
}

py::dict attributes_of(const py::object& self) { return py::getattr(self, "__dict__", py::dict()); }

}  // namespace pcgs::python
