// The household benchmark: the methods on one series, with rates tuned on its first part and
// regrets measured on its last.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/progress.h"
#include "research/split_losses.h"
#include "run/comparison.h"
#include "show/electricity_result.h"

namespace pcgs::studies {

// Where the series comes from: the UCI file as published, or a column of any other table.
struct SeriesSource {
  std::string path, column;
  std::size_t minutes = 0;           // resolution of the household file; 0: the usual one
  std::vector<std::size_t> seasons;  // observations in each, the shortest first; empty: the usual
};

struct Observations {
  std::vector<double> values;
  std::string column;
  std::string description;  // of what was read, for the table
  std::vector<std::size_t> seasons;
};

Observations read_observations(const SeriesSource& source, const io::Monitor& monitor);

// The experts of the benchmark for these seasons, with a regression over the last `window`
// observations unless that is 0.
ExpertPool benchmark_pool(const std::vector<std::size_t>& seasons, std::size_t window);

// The methods that play where none are named.
std::vector<std::string> benchmark_methods();

compare::Problem test_problem(const std::string& origin, const SplitLosses& losses);

// The methods of the options, the baselines tuned on the training part, and those tuned in
// hindsight, on the test part; observers see the test part. Methods with a star among them are left
// out.
compare::Comparison play_benchmark(const std::string& origin, const SplitLosses& losses,
                                   compare::ComparisonOptions options, const io::Monitor& monitor);

results::ElectricityResult electricity_result(const std::string& origin,
                                              const Observations& observations,
                                              const SplitLosses& losses,
                                              const compare::Comparison& comparison);
// `description` is of what was read.
std::string electricity_table(const results::ElectricityResult& result,
                              const std::string& description);

}  // namespace pcgs::studies
