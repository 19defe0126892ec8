// Quantiles of several experts from Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <vector>

namespace pcgs::python {

// Those who forecast in one round, and what they give: copies, which nobody changes meanwhile.
struct QuantileRows {
  std::vector<std::string> experts;  // each once
  std::vector<double> values;        // [experts x P] NaN: not given
};

// The name of an expert or a series, which is text; `whose` says it in the Error if it is none.
std::string name_of(pybind11::handle given, const char* whose);

// A dict by name, where None is nothing; a DataFrame with a row for each name and a column for each
// level; or an array with a row for each of `known`. Throws Error for anything else.
QuantileRows quantile_rows(pybind11::handle given, std::span<const double> levels,
                           std::span<const std::string> known);

}  // namespace pcgs::python
