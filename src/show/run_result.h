// What pcgs run found: about one series, about many, and about quantiles.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/json.h"
#include "run/comparison.h"
#include "show/forecast_answer.h"
#include "show/result.h"

namespace pcgs::results {

// ---- One series ---------------------------------------------------------------------------------

// Methods on one sequence, measured against the switching oracle where that was asked for.
struct RunResult {
  static constexpr const char* kKind = "run";
  static const Kind& kind();

  struct Proof {
    double bound = 0;
    double regret = 0;
    bool holds = false;
    bool weighted_by_eta = false;         // eta changed: not in units of loss
    std::optional<std::size_t> switches;  // of the oracle it is against; none: any path
    bool operator==(const Proof&) const = default;
  };
  struct BestExpert {
    std::string name;
    double total_loss = 0;
    bool operator==(const BestExpert&) const = default;
  };
  // Before losses were divided and capped, in their own units: of the combined forecasts where there
  // are any, else of the weights. No number where it is infinite.
  struct Unclipped {
    std::optional<double> total_loss;
    ByBudget<double> regret;
    bool operator==(const Unclipped&) const = default;
  };
  // The best paths where every switch costs something, and a method beside them: its weights pay
  // the same for the mass that they move, so that a path pays as it would as weights.
  struct CostlyPaths {
    double cost = 0;  // of a switch
    ByBudget<double> oracle;
    std::optional<double> unlimited;  // with as many switches as pay; none if no path stays awake
    std::size_t unlimited_switches = 0;
    bool operator==(const CostlyPaths&) const = default;
  };
  struct Movement {
    double moved = 0;  // sum over rounds of half the L1 distance to the weights before
    double total = 0;  // the loss, of forecasts where there are any, and cost times moved
    ByBudget<double> regret;
    std::optional<double> unlimited_regret;
    bool operator==(const Movement&) const = default;
  };
  // How often outcomes lay inside the intervals of one level.
  struct Intervals {
    double level = 0;
    std::size_t rounds = 0;  // that had one
    std::optional<double> coverage, mean_width;
    bool operator==(const Intervals&) const = default;
  };
  struct Method {
    std::string name;
    std::string full_name{};          // with all that it was given; empty: as the name
    std::string chosen_in_hindsight;  // the best candidate of a starred method; else empty
    double total_loss = 0;
    // Of the combined forecast, raw: absent without forecasts, none if it is infinite, as the log loss
    // of a forecast that ruled out what happened, or beyond the range of a double.
    std::optional<std::optional<double>> mean_forecast_loss;
    // The same, divided and capped as losses of experts are, summed: what the oracle is compared with.
    std::optional<double> total_forecast_loss{};
    std::optional<ByBudget<double>> forecast_regret{};  // of that
    ByBudget<double> dynamic_regret;                    // of total_loss
    std::optional<Unclipped> unclipped{};               // where losses were divided and capped
    std::optional<Movement> switch_costs{};             // where they were asked for
    std::optional<Proof> certificate;
    double ns_per_round = 0;
    std::vector<double> next_weights;    // [K]
    std::vector<Intervals> intervals{};  // [levels] empty where there are none
    bool operator==(const Method&) const = default;
  };

  std::size_t rounds = 0;
  std::vector<std::string> experts;   // [K]
  std::vector<std::size_t> switches;  // budgets; empty where regret was not asked for
  ByBudget<double> oracle;
  std::optional<BestExpert> best_expert;  // none if nobody was awake throughout
  double scale = 1;
  std::size_t skipped_rounds = 0;
  std::vector<Method> methods;             // at least one
  std::optional<ForecastAnswer> answer{};  // of forecasts
  std::string bound{};  // how losses beyond the scale were bounded, if they were not capped
  std::optional<ByBudget<double>> unclipped_oracle{};  // where losses were divided and capped
  std::optional<CostlyPaths> switch_costs{};           // where they were asked for

  bool operator==(const RunResult&) const = default;
};

RunResult run_result(const Problem& problem, const Comparison& comparison);
// The same with errors that are known already.
RunResult run_result(const Problem& problem, const Comparison& comparison, const Errors& errors);

// "1 switch", "5 switches".
std::string switches_text(std::size_t n);

// Of what was published, where something was; else of the weights.
const ByBudget<double>& regret_of(const RunResult::Method& method);

// Loss, regret, what is proved and the time of each method, in their order.
show::Table regret_table(const RunResult& run);

// As a table for people; `origin` is the file that was played. With forecasts the errors come first, and
// then what the theory says.
std::string run_table(const RunResult& run, const std::string& origin);

// ---- Many series --------------------------------------------------------------------------------

// Each with a state of its own.
struct SeriesResult {
  static constexpr const char* kKind = "series";
  static const Kind& kind();

  struct One {
    std::vector<std::string> key;  // [by]
    std::size_t rounds = 0;
    ForecastAnswer answer;
    bool operator==(const One&) const = default;
  };
  std::vector<std::string> by;       // at least one column
  std::vector<std::string> experts;  // [K]
  std::size_t rounds = 0;            // of all series
  // Over all rounds of all series together; with neither coming forecasts nor weights.
  ForecastAnswer answer;
  std::vector<One> series;  // at least one
  bool operator==(const SeriesResult&) const = default;
};

// Of a run on forecasts.
SeriesResult series_result(const Outcome& outcome);

// How many of the series have a combination that is better than their best expert.
std::size_t better_than_best(const SeriesResult& result);

// As text for a terminal.
std::string series_table(const SeriesResult& result, const std::string& origin);

// ---- Quantiles ----------------------------------------------------------------------------------

// How good the combined distributions were, beside every expert's and beside combinations that learn
// nothing.
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
  std::vector<Shape> shapes;         // of the lines of the answer, or none
  std::vector<std::size_t> between;  // [P + 1] outcomes below, between and above the quantiles
  std::size_t crossed = 0,
              wild = 0;  // forecasts that were put in order, and that were far outside all others
  std::vector<One> series;     // at least one
  std::vector<Value> values;   // of each column of `by`, where there are several; else none
  std::vector<Coming> coming;  // of the last time, whose outcome is not known
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
