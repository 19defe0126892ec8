// The fields of a pcgs.Request that Python gives: a dict with their names.
#pragma once

#include <pybind11/pybind11.h>

#include "pcgs/run.h"

namespace pcgs::python {

// Throws Error for a value of another kind than the field has, and for a name that is no field. None:
// the field is not given.
Request request_of(const pybind11::dict& fields);

}  // namespace pcgs::python
