// What pcgs run --quantiles found: how good the combined distributions were, beside every expert's and
// beside combinations that learn nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/level_problem.h"
#include "compare/level_scores.h"
#include "results/by_name.h"
#include "results/forecast_answer.h"

namespace pcgs::results {

struct QuantileResult {
  static constexpr const char* kKind = "quantiles";

  // What the scores of a forecaster are made of. Only where levels are symmetric.
  struct Shape {
    std::string name;
    std::size_t rounds = 0;
    ByName<double> held{};  // of outcomes, by the central interval that should hold them: "0.8"
    // Parts of the mean score; none where they are beyond the range of a double.
    std::optional<double> width{}, above{}, below{};
    bool operator==(const Shape&) const = default;
  };
  struct One {
    std::vector<std::string> key;  // [by]
    std::size_t rounds = 0;
    std::optional<double> score{};  // of the combination; none without an outcome
    std::optional<Difference> beside_best{}, beside_equal{};
    bool operator==(const One&) const = default;
  };
  struct Coming {
    std::vector<std::string> key;   // [by]
    std::string time, known;        // the latter empty without --known
    std::vector<double> quantiles;  // [P]; empty: nobody forecasts
    bool operator==(const Coming&) const = default;
  };

  std::vector<double> levels;        // [P]
  std::string scale = "raw";         // or "log1p"
  std::vector<std::string> by;       // empty: one series
  std::vector<std::string> experts;  // [K]
  std::size_t rounds = 0;            // of all series
  // With the measure "WIS", or "level score" where levels are not symmetric, as the loss of each line.
  ForecastAnswer answer;
  std::vector<Shape> shapes;          // of the lines of the answer, or none
  std::vector<std::size_t> between;   // [P + 1] outcomes below, between and above the quantiles
  std::size_t crossed = 0, wild = 0;  // forecasts that were put in order, and left out
  std::vector<One> series;            // at least one
  std::vector<Coming> coming;         // of the last time, whose outcome is not known

  bool operator==(const QuantileResult&) const = default;
};

QuantileResult quantile_result(const compare::LevelProblem& problem, const QuantilePanel& panel,
                               const Matrix& published);

// As text for a terminal.
std::string quantile_table(const QuantileResult& result, const std::string& origin);

// One row for each time of each series: time, --by columns, --known column, outcome, quantiles under
// the names that they have in the input.
std::string quantiles_csv(const compare::LevelProblem& problem, const Matrix& published);

}  // namespace pcgs::results
