// The household benchmark: the methods on one series, with rates tuned on its first part and
// regrets measured on its last.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "io/progress.h"
#include "studies/split_losses.h"

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

// The methods, the baselines tuned on the training part, and those tuned in hindsight, on the test
// part.
compare::Comparison play_benchmark(const std::string& origin, const SplitLosses& losses,
                                   std::vector<std::string> methods,
                                   const std::vector<std::size_t>& switches,
                                   const io::Monitor& monitor);

struct ElectricityStudy {
  std::string origin;  // the file
  Observations observations;
  const SplitLosses& losses;
  compare::Comparison comparison;  // on the test part
};

nlohmann::ordered_json electricity_json(const ElectricityStudy& study);
std::string electricity_table(const ElectricityStudy& study);

}  // namespace pcgs::studies
