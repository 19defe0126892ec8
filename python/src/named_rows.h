// Numbers of experts who have names: dicts, Series and frames of one row are put into their order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arrays.h"

namespace pcgs::python {

struct NamedRow {
  Row row;                         // [K] NaN where a dict says nothing
  std::vector<std::uint8_t> said;  // [K] what a dict has; empty: everything was said
};

// A dict by name, where a key that is missing or None is an expert that is asleep; a pandas Series
// with labels; a frame of one row (pandas, Polars, Arrow) with the experts as its columns; anything
// else by position. `what` names it in an Error.
NamedRow named_row_of(py::handle given, std::span<const std::string> names, const char* what);

}  // namespace pcgs::python
