// pcgs run --quantiles: combine forecasts that are distributions.
#pragma once

#include "run_options.h"

namespace pcgs::cli {

void run_quantiles(const RunOptions& options);

}  // namespace pcgs::cli
