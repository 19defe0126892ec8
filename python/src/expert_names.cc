#include "expert_names.h"

#include <fmt/format.h>

#include <set>

#include "arrays.h"
#include "pcgs/error.h"

namespace pcgs::python {

namespace {

constexpr std::int64_t kMostExperts = 1 << 24;

}  // namespace

ExpertNames expert_names(py::handle experts) {
  if (PyIndex_Check(experts.ptr()) != 0 && !py::hasattr(experts, "__len__")) {
    return {static_cast<std::size_t>(count_of(experts, "the number of experts", 1, kMostExperts)),
            {}};
  }
  py::object names = py::reinterpret_borrow<py::object>(experts);
  if (py::hasattr(experts, "columns")) names = experts.attr("columns");
  if (py::isinstance<py::str>(names) || py::isinstance<py::bytes>(names) ||
      !py::isinstance<py::iterable>(names)) {
    throw Error(fmt::format("experts is {}; give how many there are, or a list of their names",
                            std::string(py::repr(experts))));
  }
  if (PyAnySet_Check(names.ptr()) != 0) {
    throw Error("experts is a set, which has no order; give a list of their names");
  }
  ExpertNames found;
  std::set<std::string> seen;
  for (const py::handle name : names) {
    found.names.push_back(std::string(py::str(name)));
    if (!seen.insert(found.names.back()).second) {
      throw Error(ErrorKind::kDuplicate, {.column = found.names.back()},
                  "the name is given to two experts; give each its own");
    }
  }
  if (found.names.empty())
    throw Error(ErrorKind::kMissing, {}, "there are no experts to combine; give at least one");
  found.count = found.names.size();
  return found;
}

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t k = 1; k <= count; ++k) names.push_back(fmt::format("e{}", k));
  return names;
}

}  // namespace pcgs::python
