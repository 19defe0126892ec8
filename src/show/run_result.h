// What pcgs run found: methods on one sequence, measured against the switching oracle.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/keyed_values.h"
#include "run/comparison.h"
#include "show/forecast_answer.h"
#include "show/table.h"

namespace pcgs::results {

struct Kind;

struct RunResult {
  static constexpr const char* kKind = "run";
  static const Kind& kind();

  struct BestExpert {
    std::string name;
    double total_loss = 0;
    bool operator==(const BestExpert&) const = default;
  };
  struct Proof {
    double bound = 0;
    double regret = 0;
    bool holds = false;
    bool weighted_by_eta = false;         // eta changed: not in units of loss
    std::optional<std::size_t> switches;  // of the oracle it is against; none: any path
    bool operator==(const Proof&) const = default;
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

}  // namespace pcgs::results
