// Report pages, which a build may do without.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>

namespace pcgs::python {

// Whether this build has them.
bool has_report_pages();
// Writes what `page` makes to the path that is given, all of it or nothing, while other threads run.
// An Error where this build has no pages.
void write_page(pybind11::handle path, const std::function<std::string()>& page);

}  // namespace pcgs::python
