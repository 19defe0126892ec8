// pcgs._pcgs: the part of the Python package that is compiled.
#include "module.h"

#include <string>

#include "pcgs/registry.h"

namespace {

// pybind11 before 2.12 takes arrays of NumPy 2 for others: every element would be the first one.
void refuse_numpy_that_is_misread() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  const auto numpy = pybind11::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(numpy) < 2) return;
  throw pybind11::import_error(
      "pcgs was built with pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) + "." +
      std::to_string(PYBIND11_VERSION_MINOR) + ", which cannot read NumPy " + numpy +
      "; install it with pip, which builds it with a newer one");
#endif
}

// pcgs.methods(): what there is to choose from.
void add_methods(pybind11::module_& m) {
  m.def(
      "methods",
      [] {
        pybind11::dict out;
        for (const pcgs::MethodInfo& method : pcgs::registered_methods()) {
          out[pybind11::str(std::string(method.name))] = std::string(method.summary);
        }
        return out;
      },
      R"(methods()

Every method there is, with a line about each, in the order of tables.

>>> import pcgs
>>> pcgs.methods()["guard"]
'stays with the best of pcgs-tf, a bank of share filters, ml-poly, boa and adahedge'

Options go into braces, as in "fixed-share{eta=8,rho=0.003}"; `pcgs methods` shows them. pcgs.run
takes "hedge*" and "fixed-share*" too, the best rates of a grid chosen in hindsight.)");
}

}  // namespace

PYBIND11_MODULE(_pcgs, m) {
  refuse_numpy_that_is_misread();
  // Signatures are in _pcgs.pyi, where editors and type checkers look for them.
  pybind11::options options;
  options.disable_function_signatures();
  m.doc() = "The compiled part of pcgs; import pcgs instead.";
  m.attr("__version__") = PCGS_VERSION;
  pcgs::python::bind_errors(m);
  add_methods(m);
  pcgs::python::bind_aggregator(m);
  pcgs::python::bind_oracle(m);
  pcgs::python::bind_share_record(m);
  pcgs::python::bind_run(m);
  pcgs::python::bind_expert_pool(m);
  pcgs::python::bind_quantile_panel(m);
}
