// The options that say what forecasts are judged by and how losses come into [0,1].
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"

namespace pcgs::cli {

struct LossOptions {
  std::string loss = "squared";
  bool given = false;  // the loss, and not its default
  double tau = 0;      // 0: not given
  std::string scale;   // empty, or as LossScale::from takes it
};

struct LossFlags {
  CLI::Option *loss, *tau, *scale;
};

// Accepts these names of losses. `when_automatic` is said of --scale auto.
LossFlags add_loss_options(CLI::App& command, LossOptions& options,
                           const std::vector<std::string>& losses,
                           const std::string& when_automatic);

TaskLoss chosen_task(const LossOptions& options);

LossScale chosen_scale(const LossOptions& options);

}  // namespace pcgs::cli
