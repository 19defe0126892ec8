#include "paths.h"

#include <fmt/format.h>

#include "pcgs/error.h"

namespace pcgs::python {

namespace py = pybind11;

std::string path_of(py::handle given) {
  auto path = py::module_::import("os").attr("fsencode")(given).cast<std::string>();
  // The system would stop reading there, and another file would be written.
  if (path.find('\0') != std::string::npos) {
    throw Error(fmt::format("the path {} has a NUL in it, which no file's has; give another",
                            std::string(py::repr(given))));
  }
  return path;
}

}  // namespace pcgs::python
