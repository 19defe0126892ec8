// The path of a file, as Python gives it.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace pcgs::python {

// Of text, bytes or an os.PathLike. Throws Error for one that no file can have.
std::string path_of(pybind11::handle given);

}  // namespace pcgs::python
