// A progress bar on stderr: only on a terminal, only for work that takes a while.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "compare/comparison.h"

namespace pcgs::cli {

class Progress {
 public:
  Progress(std::string label, std::size_t total, bool quiet);
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::size_t steps = 1);

 private:
  void draw();
  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::size_t next_look_ = 0;  // the clock is read only every so many steps
  bool shown_ = false;
  bool possible_;
  std::chrono::steady_clock::time_point start_, drawn_;
};

// Plays with a bar; goes on from an aggregator if one is given (compare/comparison.h).
compare::Comparison play_with_progress(const compare::Problem& problem,
                                       compare::ComparisonOptions options, bool quiet,
                                       Aggregator* aggregator = nullptr);

}  // namespace pcgs::cli
