// What pcgs run --quantiles found: how good the combined distributions were, beside every expert's and
// beside combinations that learn nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/keyed_values.h"
#include "run/quantiles.h"
#include "show/forecast_answer.h"
#include "show/table.h"

namespace pcgs::results {

struct Kind;

struct QuantileResult {
  static constexpr const char* kKind = "quantiles";
  static const Kind& kind();

  // What the scores of a forecaster are made of. Only where levels are symmetric.
  struct Shape {
    std::string name;
    std::size_t rounds = 0;
    ByName<double> held{};  // of outcomes, by the central interval that should hold them: "0.8"
    // Parts of the mean score; none where they are beyond the range of a double.
    std::optional<double> width{}, above{}, below{};
    bool operator==(const Shape&) const = default;
  };
  // A forecaster beside the combination.
  struct Other {
    std::string name;
    std::size_t rounds = 0;         // of both
    std::optional<double> score{};  // its own; none beyond the range of a double
    // The combination's relative to it on these rounds, in per cent: below 0, the combination is better.
    std::optional<double> difference{};
    bool operator==(const Other&) const = default;
  };
  // Of the combination on some of the rounds.
  struct Scores {
    std::size_t rounds = 0;         // also those without an outcome
    std::optional<double> score{};  // none without an outcome
    std::optional<Difference> beside_best{}, beside_equal{};
    std::optional<Shape> shape{};  // where levels are symmetric
    // The combinations that learn nothing, the linear pool and the quantile mean first, and the best
    // expert if there is one.
    std::vector<Other> others{};
    // How many rounds the score is about; combinations that learn nothing forecast in all of them.
    std::size_t scored() const { return others.empty() ? 0 : others.front().rounds; }
    bool operator==(const Scores&) const = default;
  };
  // What is proved (ScoreClaims): means, in units of a middling expert's score in the round.
  struct Proved {
    std::size_t rounds = 0;
    double score = 0;  // of what was published
    // How much more that is than the score of the best path over experts, and of the best expert; and
    // what it cannot be more than.
    double above_path = 0, path_bound = 0, above_expert = 0, expert_bound = 0;
    bool operator==(const Proved&) const = default;
  };
  struct One {
    std::vector<std::string> key;  // [by]
    Scores scores{};
    std::optional<Proved> proved{};  // where the panel certifies
    bool operator==(const One&) const = default;
  };
  // All series that have this value in this column.
  struct Value {
    std::string column, value;
    Scores scores{};
    bool operator==(const Value&) const = default;
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
  std::vector<Value> values;          // of each column of `by`, where there are several; else none
  std::vector<Coming> coming;         // of the last time, whose outcome is not known
  // The mean over all rounds of the series, each against a path and an expert of its own.
  std::optional<Proved> proved{};

  bool operator==(const QuantileResult&) const = default;
};

QuantileResult quantile_result(const QuantileProblem& problem, const QuantilePanel& panel,
                               const Matrix& published);

// What scores are made of, and how many outcomes central intervals held: the usual ones, or all. `where`
// stands before the keys of columns.
std::vector<show::Table::Column> shape_head(const QuantileResult::Shape& shape,
                                            const std::string& where, bool all);
std::vector<show::Cell> shape_cells(const QuantileResult::Shape& shape, bool all);

// Series, or all that have the same value in a column.
struct ScoreGroups {
  struct One {
    std::vector<std::string> key;
    const QuantileResult::Scores* scores;
  };
  std::string id, name;                 // of the table and the chart, of the choice
  std::vector<std::string> columns;     // that the key is made of
  std::vector<std::string> json_names;  // where the parts of the key stand in the JSON
  std::vector<One> all;
};
// One for each --by column where there are several, and one for the series; none for a single series.
std::vector<ScoreGroups> score_groups(const QuantileResult& result);
show::Table group_table(const ScoreGroups& groups, const std::string& measure);
// Null if it is not among the others.
const QuantileResult::Other* find_other(const QuantileResult::Scores& scores,
                                        const std::string& name);

// As text for a terminal.
std::string quantile_table(const QuantileResult& result, const std::string& origin);

// One row for each time of each series: time, --by columns, --known column, outcome, quantiles under
// the names that they have in the input.
std::string quantiles_csv(const QuantileProblem& problem, const Matrix& published);

}  // namespace pcgs::results
