#include "loss_options.h"

#include <fmt/format.h>

#include "arrays.h"
#include "pcgs/error.h"

namespace pcgs::python {

LossOptions loss_options(py::handle loss, py::handle tau, py::handle scale) {
  if (!py::isinstance<py::str>(loss)) {
    throw Error(
        fmt::format("loss is {}; give its name: \"squared\", \"absolute\", \"pinball\" or \"log\"",
                    std::string(py::repr(loss))));
  }
  const auto name = loss.cast<std::string>();
  if (!tau.is_none() && name != "pinball") {
    throw Error("tau is the level of the pinball loss; give loss=\"pinball\", or leave it out");
  }
  LossOptions options;
  options.task = TaskLoss(name, tau.is_none() ? 0.5 : number_of(tau, "tau"));
  if (scale.is_none()) return options;
  if (!py::isinstance<py::str>(scale)) {
    options.scale = LossScale::fixed(number_of(scale, "scale"));
    return options;
  }
  options.scale = LossScale::from(std::string(py::str(scale)), "scale");
  return options;
}

}  // namespace pcgs::python
