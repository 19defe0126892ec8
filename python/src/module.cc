// pcgs._pcgs: the part of the Python package that is compiled.
#include "bindings.h"

PYBIND11_MODULE(_pcgs, m) {
  // Signatures are in _pcgs.pyi, where editors and type checkers look for them.
  pybind11::options options;
  options.disable_function_signatures();
  m.doc() = "The compiled part of pcgs; import pcgs instead.";
  m.attr("__version__") = PCGS_VERSION;
  pcgs::python::bind_errors(m);
  pcgs::python::bind_methods(m);
  pcgs::python::bind_round(m);
  pcgs::python::bind_aggregator(m);
  pcgs::python::bind_oracle(m);
  pcgs::python::bind_share_record(m);
  pcgs::python::bind_suite(m);
  pcgs::python::bind_comparison(m);
  pcgs::python::bind_expert_pool(m);
  pcgs::python::bind_quantile_panel(m);
}
