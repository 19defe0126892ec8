// pcgs.methods(): what there is to choose from.
#include <pybind11/pybind11.h>

#include <string>

#include "bindings.h"
#include "pcgs/registry.h"

namespace pcgs::python {

namespace py = pybind11;

void bind_methods(py::module_& m) {
  m.def(
      "methods",
      [] {
        py::dict out;
        for (const MethodInfo& method : registered_methods()) {
          out[py::str(std::string(method.name))] = std::string(method.summary);
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

}  // namespace pcgs::python
