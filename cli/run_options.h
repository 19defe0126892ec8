// What pcgs run is asked to do.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "loss_options.h"
#include "pcgs/run.h"
#include "state_options.h"

namespace pcgs::cli {

struct RunOptions {
  TableFiles input;
  Request request;
  std::string methods;  // a list; empty: the default, or the one that is resumed
  NumberSigns signs;
  LossOptions loss;
  SeasonOptions seasons;
  std::vector<std::size_t> levels;  // of intervals, in per cent; empty: not given
  bool log1p = false, no_calibration = false;
  std::string trace, certificate, out, report;
  StateOptions state;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
  bool quiet = false;

  bool has_forecasts() const { return !request.outcome.empty(); }
  std::string results_file() const { return out + "/results.json"; }
  std::string forecasts_file() const { return out + "/forecasts.csv"; }
  std::string intervals_file() const { return out + "/intervals.csv"; }
};

void declare(CLI::App& command, RunOptions& options);

// What follows from the options: the request, with the state that is resumed, but for who watches.
// Throws Error where they contradict each other.
void settle(RunOptions& options);

}  // namespace pcgs::cli
