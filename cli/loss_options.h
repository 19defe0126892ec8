// The options that say what forecasts are judged by and how losses come into [0,1].
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "pcgs/losses.h"

namespace pcgs::cli {

struct LossOptions {
  std::string loss = "squared";
  double tau = 0;     // 0: not given
  std::string scale;  // empty, "auto" or a number
  std::size_t warmup = 0;
  double quantile = 0;  // 0: not given
};

struct LossFlags {
  CLI::Option *loss, *tau, *scale, *warmup, *quantile;
};

// Accepts these names of losses. `when_automatic` is said of --scale auto, `usual_warmup` of a
// warm-up that is not given.
LossFlags add_loss_options(CLI::App& command, LossOptions& options,
                           const std::vector<std::string>& losses,
                           const std::string& when_automatic, const std::string& usual_warmup);

TaskLoss chosen_task(const LossOptions& options);

// Without --scale the scale is automatic, or the losses must be in [0,1]. A warm-up longer than the
// rounds is refused; `origin` names the file that holds them.
Bound chosen_bound(const LossOptions& options, bool automatic_by_default, std::size_t usual_warmup,
                   std::size_t rounds, const std::string& origin);

}  // namespace pcgs::cli
