// What pcgs run is asked to do.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "loss_options.h"
#include "run/read_problem.h"
#include "state_options.h"

namespace pcgs::cli {

struct RunOptions {
  std::string input;
  std::string methods;  // empty: the default, or the one that is resumed
  std::string model;    // weights of pcgs-tf, also inside guard; empty: the shipped ones
  compare::ProblemColumns columns;
  NumberSigns signs;
  LossOptions loss;
  SeasonOptions seasons;
  std::size_t block = 1, delay = 0;
  // Forecasts that are distributions: the pattern of their columns, when outcomes are known, the file
  // that has them, and whether they are combined on the scale of ln(1 + x). Empty: not given.
  std::string quantiles, known, outcome_file, transform;
  bool no_calibration = false;                 // of their intervals
  std::vector<std::size_t> levels = {80, 95};  // of intervals, in per cent
  bool levels_given = false;
  std::vector<std::size_t> switches = {5, 10, 20};
  std::optional<double> switch_cost;
  std::string trace, certificate, out, report;
  StateOptions state;
  std::vector<std::string> drop;  // experts
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
  bool quiet = false;

  bool has_series() const { return !columns.by.empty(); }
  std::string results_file() const { return out + "/results.json"; }
  std::string forecasts_file() const { return out + "/forecasts.csv"; }
  std::string intervals_file() const { return out + "/intervals.csv"; }
};

void declare(CLI::App& command, RunOptions& options);

// What follows from the options alone. Throws Error where they contradict each other.
void settle(RunOptions& options);

}  // namespace pcgs::cli
