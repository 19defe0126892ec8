// The names of the experts: what `experts=` means in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace pcgs::python {

struct ExpertNames {
  std::size_t count = 0;
  std::vector<std::string> names;  // [count], or empty
};

// A count, or names: a list, a pandas Index, a DataFrame (its columns). Throws Error for anything
// else, none at all, and names that are there twice.
ExpertNames expert_names(pybind11::handle experts);

// The names that pcgs gives to columns without any: e1, e2, ...
std::vector<std::string> numbered_names(std::size_t count);

}  // namespace pcgs::python
