// What each file of the module adds to it.
#pragma once

#include <pybind11/pybind11.h>

namespace pcgs::python {

void bind_errors(pybind11::module_& m);
void bind_methods(pybind11::module_& m);
void bind_round(pybind11::module_& m);
void bind_aggregator(pybind11::module_& m);
void bind_oracle(pybind11::module_& m);
void bind_share_record(pybind11::module_& m);
void bind_suite(pybind11::module_& m);
void bind_comparison(pybind11::module_& m);
void bind_series(pybind11::module_& m);
void bind_expert_pool(pybind11::module_& m);
void bind_quantile_panel(pybind11::module_& m);

}  // namespace pcgs::python
