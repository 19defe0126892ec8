#include "show/run_result.h"

#include <algorithm>

#include "data/fields.h"
#include "show/kinds.h"

namespace pcgs::results {

namespace {

std::vector<double> less(double total, const std::vector<double>& oracle) {
  std::vector<double> regrets;
  for (const double best : oracle) regrets.push_back(total - best);
  return regrets;
}

RunResult::Movement movement(const compare::MethodResult& played,
                             const compare::Comparison& comparison) {
  const compare::SwitchCosts& costs = *comparison.switch_costs;
  RunResult::Movement out;
  out.moved = *played.movement;
  out.total = played.total_forecast_loss.value_or(played.total_loss) + costs.cost * out.moved;
  out.regret = by_budget(comparison.switches, less(out.total, costs.oracle));
  out.unlimited_regret = finite(out.total - costs.unlimited);
  return out;
}

RunResult::Method method_result(const compare::Problem& problem,
                                const compare::MethodResult& played,
                                const compare::Comparison& comparison) {
  const auto& switches = comparison.switches;
  RunResult::Method out;
  out.name = played.name;
  out.full_name = played.full;
  out.chosen_in_hindsight = played.chosen;
  out.total_loss = played.total_loss;
  if (played.mean_forecast_loss) out.mean_forecast_loss = finite(*played.mean_forecast_loss);
  if (played.total_forecast_loss) {
    out.total_forecast_loss = finite(*played.total_forecast_loss);
    out.forecast_regret = by_budget(switches, less(*played.total_forecast_loss, comparison.oracle));
  }
  out.dynamic_regret = by_budget(switches, played.regret);
  if (played.unclipped_loss) {
    const double loss = *played.unclipped_loss;
    out.unclipped = {finite(loss), by_budget(switches, less(loss, comparison.unclipped_oracle))};
  }
  if (played.movement) out.switch_costs = movement(played, comparison);
  if (played.certificate) {
    out.certificate = {played.certificate->bound, played.certificate->regret,
                       played.certificate->holds(), played.weighted_certificate,
                       played.certified_switches};
  }
  out.ns_per_round = played.ns_per_round;
  out.next_weights = played.next_weights;
  if (played.intervals) {
    for (const auto& score : compare::interval_scores(problem, *played.intervals)) {
      out.intervals.push_back(
          {score.level, score.rounds, finite(score.coverage), finite(score.mean_width)});
    }
  }
  return out;
}

}  // namespace

RunResult run_result(const compare::Problem& problem, const compare::Comparison& comparison) {
  return run_result(
      problem, comparison,
      problem.has_forecasts() ? compare::errors_of(problem, comparison) : compare::Errors());
}

RunResult run_result(const compare::Problem& problem, const compare::Comparison& comparison,
                     const compare::Errors& errors) {
  RunResult out;
  out.rounds = comparison.rounds;
  out.experts = problem.experts;
  out.switches = comparison.switches;
  out.oracle = by_budget(comparison.switches, comparison.oracle);
  if (!comparison.unclipped_oracle.empty()) {
    out.unclipped_oracle = by_budget(comparison.switches, comparison.unclipped_oracle);
  }
  if (const auto& costs = comparison.switch_costs) {
    out.switch_costs = {costs->cost, by_budget(comparison.switches, costs->oracle),
                        finite(costs->unlimited), costs->unlimited_switches};
  }
  if (comparison.has_regret() && std::isfinite(comparison.best_expert_loss)) {
    out.best_expert = {problem.experts[comparison.best_expert], comparison.best_expert_loss};
  }
  out.scale = comparison.scale;
  if (problem.scale.bound() == LossBound::kCatoni) out.bound = "catoni";
  out.skipped_rounds = comparison.skipped;
  for (const auto& method : comparison.methods) {
    out.methods.push_back(method_result(problem, method, comparison));
  }
  if (problem.has_forecasts()) {
    out.answer = forecast_answer(problem, comparison, errors);
  }
  return out;
}

void fields(Fields& f, RunResult::BestExpert& expert) {
  f("name", expert.name, "total_loss", expert.total_loss);
}

void fields(Fields& f, RunResult::Proof& proof) {
  f("bound", proof.bound, "regret", proof.regret, "holds", proof.holds);
  f.unless_empty("weighted_by_eta", proof.weighted_by_eta);
  f.unless_empty("switches", proof.switches);
}

void fields(Fields& f, RunResult::Intervals& intervals) {
  f("level", intervals.level, "rounds", intervals.rounds, "coverage", intervals.coverage,
    "mean_width", intervals.mean_width);
}

void fields(Fields& f, RunResult::Unclipped& unclipped) {
  f("total_loss", unclipped.total_loss, "regret", unclipped.regret);
}

void fields(Fields& f, RunResult::CostlyPaths& paths) {
  f("cost", paths.cost, "oracle", paths.oracle, "unlimited", paths.unlimited, "unlimited_switches",
    paths.unlimited_switches);
}

void fields(Fields& f, RunResult::Movement& movement) {
  f("moved", movement.moved, "total", movement.total, "regret", movement.regret, "unlimited_regret",
    movement.unlimited_regret);
}

void fields(Fields& f, RunResult::Method& method) {
  f("name", method.name);
  f.unless_empty("full_name", method.full_name);
  f.unless_empty("chosen_in_hindsight", method.chosen_in_hindsight);
  f("total_loss", method.total_loss);
  f.unless_empty("mean_forecast_loss", method.mean_forecast_loss);
  f.unless_empty("total_forecast_loss", method.total_forecast_loss);
  f.unless_empty("forecast_regret", method.forecast_regret);
  f.unless_empty("dynamic_regret", method.dynamic_regret);
  f.unless_empty("unclipped", method.unclipped);
  f.unless_empty("switch_costs", method.switch_costs);
  f.unless_empty("certificate", method.certificate);
  f("ns_per_round", method.ns_per_round, "next_weights", method.next_weights);
  f.unless_empty("intervals", method.intervals);
}

void fields(Fields& f, RunResult& run) {
  f("rounds", run.rounds, "experts", run.experts);
  f.unless_empty("switches", run.switches);
  f.unless_empty("oracle", run.oracle);
  f.unless_empty("unclipped_oracle", run.unclipped_oracle);
  f.unless_empty("switch_costs", run.switch_costs);
  if (!run.switches.empty()) f("best_expert", run.best_expert);
  f("scale", run.scale);
  f.unless_empty("bound", run.bound);
  f("skipped_rounds", run.skipped_rounds, "methods", run.methods);
  f.together("errors", run.answer);
  f.require(!run.switches.empty() || run.answer, "switches", "is empty");
  f.require(run.oracle.has_all(run.switches) &&
                (!run.unclipped_oracle || run.unclipped_oracle->has_all(run.switches)) &&
                (!run.switch_costs || run.switch_costs->oracle.has_all(run.switches)),
            "oracle", "lacks one of the switch budgets");
  f.require(!run.methods.empty(), "methods", "is empty");
  f.require(std::all_of(run.methods.begin(), run.methods.end(),
                        [&](const auto& m) {
                          return m.dynamic_regret.has_all(run.switches) &&
                                 (!m.forecast_regret || m.forecast_regret->has_all(run.switches)) &&
                                 (!m.unclipped || m.unclipped->regret.has_all(run.switches)) &&
                                 (!m.switch_costs || m.switch_costs->regret.has_all(run.switches));
                        }),
            "methods", "lack regrets for one of the switch budgets");
}

}  // namespace pcgs::results
