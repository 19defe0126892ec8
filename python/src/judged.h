// What forecasts are judged by and how losses come into [0,1]: loss=, tau=, scale=, warmup= and
// quantile= of Aggregator and run, with the meaning of the program's options of these names.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "pcgs/losses.h"

namespace pcgs::python {

struct Judged {
  TaskLoss task;
  enum class Scale { kUsual, kAutomatic, kGiven } scale = Scale::kUsual;
  double c = 1;                       // of a scale that is given
  std::optional<std::size_t> warmup;  // rounds that set an automatic scale
  double quantile = 0.95;             // that becomes it

  // Without a scale losses must be in [0,1], and the scale of forecasts is automatic.
  Bound bound(bool forecasts, std::size_t usual_warmup) const;
};

// Throws Error for what makes no sense.
Judged judged_by(pybind11::handle loss, pybind11::handle tau, pybind11::handle scale,
                 pybind11::handle warmup, pybind11::handle quantile);

}  // namespace pcgs::python
