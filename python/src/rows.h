// Numbers of experts who have names: what `experts=` means in Python, and rows by name put into their
// order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arrays.h"

namespace pcgs::python {

struct ExpertNames {
  std::size_t count = 0;
  std::vector<std::string> names;  // [count], or empty
};

// A count, or names: a list, a pandas Index, a DataFrame (its columns). Throws Error for anything
// else, none at all, and names that are there twice.
ExpertNames expert_names(py::handle experts);

// The name of an expert or a series, which is text; `whose` says it in the Error if it is none.
std::string name_of(py::handle given, const char* whose);

struct NamedRow {
  Row row;                         // [K] NaN where a dict says nothing
  std::vector<std::uint8_t> said;  // [K] what a dict has; empty: everything was said
};

// A dict by name, where a key that is missing or None is an expert that is asleep; a pandas Series
// with labels; a frame of one row (pandas, Polars, Arrow) with the experts as its columns; anything
// else by position. `what` names it in an Error.
NamedRow named_row_of(py::handle given, std::span<const std::string> names, const char* what);

// Those who forecast quantiles in one round, and what they give: copies, which nobody changes
// meanwhile.
struct QuantileRows {
  std::vector<std::string> experts;  // each once
  std::vector<double> values;        // [experts x P] NaN: not given
};

// A dict by name, where None is nothing; a DataFrame with a row for each name and a column for each
// level; or an array with a row for each of `known`. Throws Error for anything else.
QuantileRows quantile_rows(py::handle given, std::span<const double> levels,
                           std::span<const std::string> known);

}  // namespace pcgs::python
