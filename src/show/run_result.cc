#include "show/run_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "data/json.h"
#include "data/text.h"
#include "run/errors.h"
#include "show/forecast_answer.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::results {

namespace {

std::vector<double> less(double total, const std::vector<double>& oracle) {
  std::vector<double> regrets;
  for (const double best : oracle) regrets.push_back(total - best);
  return regrets;
}

RunResult::Movement movement(const MethodResult& played, const Comparison& comparison) {
  const SwitchCosts& costs = *comparison.switch_costs;
  RunResult::Movement out;
  out.moved = *played.movement;
  out.total = played.total_forecast_loss.value_or(played.total_loss) + costs.cost * out.moved;
  out.regret = by_budget(comparison.switches, less(out.total, costs.oracle));
  out.unlimited_regret = finite(out.total - costs.unlimited);
  return out;
}

RunResult::Method method_result(const Problem& problem, const MethodResult& played,
                                const Comparison& comparison) {
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

RunResult run_result(const Problem& problem, const Comparison& comparison) {
  return run_result(problem, comparison,
                    problem.has_forecasts() ? compare::errors_of(problem, comparison) : Errors());
}

RunResult run_result(const Problem& problem, const Comparison& comparison, const Errors& errors) {
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
  f.unless_empty("weighted_by_eta", proof.weighted_by_eta, "switches", proof.switches);
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
  f.unless_empty("full_name", method.full_name, "chosen_in_hindsight", method.chosen_in_hindsight);
  f("total_loss", method.total_loss);
  f.unless_empty("mean_forecast_loss", method.mean_forecast_loss, "total_forecast_loss",
                 method.total_forecast_loss, "forecast_regret", method.forecast_regret,
                 "dynamic_regret", method.dynamic_regret, "unclipped", method.unclipped,
                 "switch_costs", method.switch_costs, "certificate", method.certificate);
  f("ns_per_round", method.ns_per_round, "next_weights", method.next_weights);
  f.unless_empty("intervals", method.intervals);
}

void fields(Fields& f, RunResult& run) {
  f("rounds", run.rounds, "experts", run.experts);
  f.unless_empty("switches", run.switches, "oracle", run.oracle, "unclipped_oracle",
                 run.unclipped_oracle, "switch_costs", run.switch_costs);
  if (!run.switches.empty()) f("best_expert", run.best_expert);
  f("scale", run.scale);
  f.unless_empty("bound", run.bound);
  f("skipped_rounds", run.skipped_rounds, "methods", run.methods);
  f.together("errors", run.answer);
  f.require(!run.switches.empty() || run.answer, "switches", "is empty");
  const auto has_all = [&](const auto& regret) { return regret.has_all(run.switches); };
  f.require(has_all(run.oracle) && (!run.unclipped_oracle || has_all(*run.unclipped_oracle)) &&
                (!run.switch_costs || has_all(run.switch_costs->oracle)),
            "oracle", "lacks one of the switch budgets");
  f.require(!run.methods.empty(), "methods", "is empty");
  f.require(std::ranges::all_of(run.methods,
                                [&](const auto& m) {
                                  return has_all(m.dynamic_regret) &&
                                         (!m.forecast_regret || has_all(*m.forecast_regret)) &&
                                         (!m.unclipped || has_all(m.unclipped->regret)) &&
                                         (!m.switch_costs || has_all(m.switch_costs->regret));
                                }),
            "methods", "lack regrets for one of the switch budgets");
}

const Kind& RunResult::kind() {
  static const Kind kKind = make_kind<RunResult, report::show_run>(10);
  return kKind;
}

namespace {

std::string scale_text(const RunResult& run) {
  return fmt::format(", losses divided by {:.6g} in the end and {}", run.scale,
                     run.bound.empty() ? "capped at 1" : "bent to 1 by Catoni's function");
}

std::string caption(const RunResult& run, const std::string& origin) {
  std::string out = fmt::format("{}: {}, {}", origin, io::counted(run.rounds, "round"),
                                io::counted(run.experts.size(), "expert"));
  if (run.answer) out += span_text(run.answer->times);
  if (!run.answer && run.scale != 1) out += scale_text(run);
  if (run.skipped_rounds > 0) {
    out += fmt::format(", {} skipped with nobody awake", io::counted(run.skipped_rounds, "round"));
  }
  return out;
}

std::string hindsight_text(const RunResult& run) {
  std::string out = "in hindsight:";
  if (run.best_expert && !run.answer) {
    out +=
        fmt::format(" best expert {} {:.3f};", run.best_expert->name, run.best_expert->total_loss);
  }
  out += " best path";
  const char* separator = "";
  for (const std::size_t s : run.switches) {
    const auto loss = run.oracle.at(s);
    out += fmt::format("{} with {} {}", separator, switches_text(s),
                       loss ? fmt::format("{:.3f}", *loss) : "does not exist");
    separator = ",";
  }
  return out;
}

std::string intervals_text(const RunResult::Method& method) {
  std::string out = fmt::format("intervals of {}:", method.name);
  const char* separator = "";
  for (const RunResult::Intervals& one : method.intervals) {
    out += fmt::format("{} {:g} %", separator, 100 * one.level);
    out += one.coverage && one.mean_width ? fmt::format(" held {:.1f} % of outcomes, {:.6g} wide",
                                                        100 * *one.coverage, *one.mean_width)
                                          : " not yet known";
    separator = ";";
  }
  return out + '\n';
}

std::string number_text(const std::optional<double>& x) {
  return x ? fmt::format("{:.6g}", *x) : "none";
}

// Losses as they were before they were divided and capped.
std::string unclipped_text(const RunResult& run) {
  if (!run.unclipped_oracle) return "";
  io::TextTable table{"\nThe same in the units of the losses, nothing bounded:",
                      {"method", run.answer ? "loss of its forecasts" : "total loss"},
                      {}};
  for (const std::size_t s : run.switches) table.head.push_back(fmt::format("regret S={}", s));
  for (const RunResult::Method& method : run.methods) {
    if (!method.unclipped) continue;
    auto& row = table.rows.emplace_back(
        std::vector{method.name, number_text(method.unclipped->total_loss)});
    for (const std::size_t s : run.switches) {
      row.push_back(number_text(method.unclipped->regret.at(s)));
    }
  }
  return text(table);
}

std::string switch_costs_text(const RunResult& run) {
  if (!run.switch_costs) return "";
  io::TextTable table{
      fmt::format("\nWith {:g} for every switch of a path, and for the weight that a method moves:",
                  run.switch_costs->cost),
      {"method", "moved", "loss and cost"},
      {}};
  for (const std::size_t s : run.switches) table.head.push_back(fmt::format("regret S={}", s));
  table.head.emplace_back("any S");
  for (const RunResult::Method& method : run.methods) {
    if (!method.switch_costs) continue;
    const RunResult::Movement& one = *method.switch_costs;
    auto& row = table.rows.emplace_back(std::vector{method.name, fmt::format("{:.3f}", one.moved),
                                                    fmt::format("{:.3f}", one.total)});
    const auto add = [&](const std::optional<double>& regret) {
      row.push_back(regret ? fmt::format("{:.3f}", *regret) : "none");
    };
    for (const std::size_t s : run.switches) add(one.regret.at(s));
    add(one.unlimited_regret);
  }
  std::string out = text(table);
  if (run.switch_costs->unlimited) {
    out += fmt::format("\nthe best path of all takes {} and costs {:.3f}\n",
                       switches_text(run.switch_costs->unlimited_switches),
                       *run.switch_costs->unlimited);
  }
  return out;
}

// Of what was published, where something was; else of the weights.
double loss_of(const RunResult::Method& method) {
  return method.total_forecast_loss.value_or(method.total_loss);
}

std::vector<show::Cell> regret_row(const RunResult& run, const RunResult::Method& method) {
  std::vector<show::Cell> row = {{method.name}, show::number(loss_of(method), "{:.3f}")};
  for (const std::size_t s : run.switches) {
    row.push_back(show::number(regret_of(method).at(s), "{:.3f}"));
  }
  row.push_back(method.mean_forecast_loss ? show::number(*method.mean_forecast_loss, "{:.6g}")
                                          : show::Cell{});
  if (const auto& proof = method.certificate) {
    for (const double x : {proof->bound, proof->regret}) {
      row.push_back(show::number(x, "{:.2f}"));
      if (proof->weighted_by_eta) row.back().text += " †";
    }
  } else {
    row.resize(row.size() + 2);
  }
  row.push_back({io::time_text(method.ns_per_round), fmt::format("{}", method.ns_per_round)});
  return row;
}

}  // namespace

std::string switches_text(std::size_t n) {
  return fmt::format("{} switch{}", n, n == 1 ? "" : "es");
}

const ByBudget<double>& regret_of(const RunResult::Method& method) {
  return method.forecast_regret ? *method.forecast_regret : method.dynamic_regret;
}

show::Table regret_table(const RunResult& run) {
  const bool published = run.methods.front().forecast_regret.has_value();
  show::Table table;
  table.head = {{"method", "name"},
                {published ? "loss of its forecasts" : "total loss",
                 published ? "total_forecast_loss" : "total_loss"}};
  for (const std::size_t s : run.switches) {
    table.head.push_back(
        {fmt::format("regret S={}", s),
         fmt::format("{}.{}", published ? "forecast_regret" : "dynamic_regret", s)});
  }
  table.head.insert(table.head.end(), {{"mean loss of its forecast", "mean_forecast_loss", true},
                                       {"proved regret", "certificate.bound", true},
                                       {"that regret", "certificate.regret", true},
                                       {"time/round", "ns_per_round"}});
  for (const auto& method : run.methods) table.rows.push_back(regret_row(run, method));
  table.drop_empty_columns();
  return table;
}

std::string run_table(const RunResult& run, const std::string& origin) {
  std::string out, chosen;
  show::Table table = regret_table(run);
  if (run.answer) {
    out = answer_text(*run.answer, caption(run, origin));
    if (run.answer->errors.front().rounds == 0) return out;
    for (const RunResult::Method& method : run.methods) {
      if (!method.intervals.empty()) out += intervals_text(method);
    }
    if (run.switches.empty()) return out;
    out += fmt::format(
        "\nBeside the best sequence of experts{}. Regret: the loss beyond that of the best "
        "sequence "
        "with at most S switches, found in hindsight; below 0, the forecast was better than it.\n",
        scale_text(run));
  } else {
    table.caption = caption(run, origin);
  }
  out += fmt::format("{}\n{}\n", text(table), hindsight_text(run));
  out += unclipped_text(run) + switch_costs_text(run);
  for (const RunResult::Method& method : run.methods) {
    if (!method.chosen_in_hindsight.empty()) chosen += ' ' + method.chosen_in_hindsight;
  }
  if (!chosen.empty()) {
    out += fmt::format("* rates chosen in hindsight; nobody can play these:{}\n", chosen);
  }
  return out;
}

}  // namespace pcgs::results
