#include "judged.h"

#include <fmt/format.h>

#include "arrays.h"
#include "pcgs/error.h"

namespace pcgs::python {

Bound Judged::bound(bool forecasts, std::size_t usual_warmup) const {
  if (scale == Scale::kGiven) return Bound::scale(c);
  if (scale == Scale::kUsual && !forecasts) return Bound::unit();
  return Bound::automatic(warmup.value_or(usual_warmup), quantile);
}

Judged judged_by(py::handle loss_given, py::handle tau, py::handle scale, py::handle warmup,
                 py::handle quantile) {
  if (!py::isinstance<py::str>(loss_given)) {
    throw Error(
        fmt::format("loss is {}; give its name: \"squared\", \"absolute\", \"pinball\" or \"log\"",
                    std::string(py::repr(loss_given))));
  }
  const auto loss = loss_given.cast<std::string>();
  if (!tau.is_none() && loss != "pinball") {
    throw Error("tau is the level of the pinball loss; give loss=\"pinball\", or leave it out");
  }
  Judged judged;
  judged.task = TaskLoss(loss, tau.is_none() ? 0.5 : number_of(tau, "tau"));
  if (py::isinstance<py::str>(scale)) {
    if (std::string(py::str(scale)) != "auto") {
      throw Error(fmt::format("scale is '{}'; give a positive number or \"auto\"",
                              std::string(py::str(scale))));
    }
    judged.scale = Judged::Scale::kAutomatic;
  } else if (!scale.is_none()) {
    judged.scale = Judged::Scale::kGiven;
    judged.c = number_of(scale, "scale");
    Bound::scale(judged.c);  // says what is wrong with it
    if (!warmup.is_none() || !quantile.is_none()) {
      throw Error(
          "warmup and quantile set an automatic scale; give scale=\"auto\", or leave them out");
    }
  } else if (!warmup.is_none() || !quantile.is_none()) {
    judged.scale = Judged::Scale::kAutomatic;  // what else would they be for
  }
  constexpr std::int64_t kMostRounds = 1000000000;
  if (!warmup.is_none()) {
    judged.warmup = static_cast<std::size_t>(count_of(warmup, "warmup", 1, kMostRounds));
  }
  if (!quantile.is_none()) {
    judged.quantile = number_of(quantile, "quantile");
    if (!(judged.quantile > 0 && judged.quantile <= 1)) {
      throw Error(fmt::format("quantile is {}; give a number in (0, 1]", judged.quantile));
    }
  }
  return judged;
}

}  // namespace pcgs::python
