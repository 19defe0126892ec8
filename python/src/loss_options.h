// loss=, tau= and scale= of Aggregator and run, with the meaning of the program's options of these
// names.
#pragma once

#include <pybind11/pybind11.h>

#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"

namespace pcgs::python {

struct LossOptions {
  TaskLoss task;
  LossScale scale;
};

// Throws Error for what makes no sense.
LossOptions loss_options(pybind11::handle loss, pybind11::handle tau, pybind11::handle scale);

}  // namespace pcgs::python
