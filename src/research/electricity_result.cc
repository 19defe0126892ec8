// What the household benchmark found: a result for programs, a table for people.
#include <fmt/format.h>

#include "combine/hindsight_methods.h"
#include "data/text_table.h"
#include "research/electricity.h"

namespace pcgs::studies {

using results::ElectricityResult;

ElectricityResult electricity_result(const std::string& origin, const Observations& observations,
                                     const SplitLosses& losses,
                                     const compare::Comparison& comparison) {
  const auto per_round = [&](double x) { return x / static_cast<double>(comparison.rounds); };
  const auto by_budget = [&](std::vector<double> values) {
    for (double& x : values) x = per_round(x);
    return results::by_budget(comparison.switches, values);
  };
  ElectricityResult out;
  out.file = origin;
  out.column = observations.column;
  out.seasons = observations.seasons;
  out.observations = losses.observations;
  out.burn_in = losses.burn_in;
  out.training_rounds = losses.training.rows;
  out.rounds = losses.test.rows;
  out.scale = losses.scale;
  if (losses.bound == LossBound::kCatoni) out.bound = "catoni";
  out.experts = losses.experts;
  out.best_expert = {losses.experts[comparison.best_expert],
                     per_round(comparison.best_expert_loss)};
  out.switches = comparison.switches;
  out.oracle_mean_loss = by_budget(comparison.oracle);
  out.unclipped_oracle_mean_loss = by_budget(comparison.unclipped_oracle);
  for (const auto& method : comparison.methods) {
    auto& one = out.methods.emplace_back();
    one.name = method.name;
    (is_playable(method.name) ? one.chosen_on_training_part : one.chosen_in_hindsight) =
        method.chosen;
    one.mean_loss = per_round(method.total_loss);
    one.regret_per_round = by_budget(method.regret);
    std::vector<double> unclipped;
    for (const double best : comparison.unclipped_oracle) {
      unclipped.push_back(*method.unclipped_loss - best);
    }
    one.unclipped_mean_loss = results::finite(per_round(*method.unclipped_loss));
    one.unclipped_regret_per_round = by_budget(unclipped);
    one.ns_per_round = method.ns_per_round;
  }
  return out;
}

namespace {

// A row for each method that knows it; "" if none does.
std::string unclipped_table(const ElectricityResult& result) {
  io::TextTable table;
  table.caption = "\nthe same on squared errors as they are, neither divided nor clipped";
  table.head = {"method"};
  for (const std::size_t s : result.switches) table.head.push_back(fmt::format("S={}", s));
  table.head.emplace_back("mean loss");
  for (const auto& method : result.methods) {
    if (!method.unclipped_regret_per_round) continue;
    // None where an error's square is beyond the range of a double.
    const auto number = [](const std::optional<double>& x) {
      return x ? fmt::format("{:.6g}", *x) : "none";
    };
    auto& row = table.rows.emplace_back(std::vector{method.name});
    for (const std::size_t s : result.switches) {
      row.push_back(number(method.unclipped_regret_per_round->at(s)));
    }
    row.push_back(number(method.unclipped_mean_loss));
  }
  return table.rows.empty() ? "" : text(table);
}

}  // namespace

std::string electricity_table(const ElectricityResult& result, const std::string& description) {
  io::TextTable table;
  table.caption = fmt::format(
      "{}: {}, {}\nlast {} observations: {} of burn-in, {} to train, {} to test; {} experts; "
      "squared errors divided by {:.6g} and {}\ndynamic regret per round of the test "
      "part against the best path with at most S switches",
      result.file, result.column, description, result.observations, result.burn_in,
      result.training_rounds, result.rounds, result.experts.size(), result.scale,
      result.bound.empty() ? "clipped at 1" : "bent to 1 by Catoni's influence function");
  table.head = {"method"};
  for (const std::size_t s : result.switches) table.head.push_back(fmt::format("S={}", s));
  table.head.insert(table.head.end(), {"average", "mean loss"});
  std::string chosen;
  for (const auto& method : result.methods) {
    auto& row = table.rows.emplace_back(std::vector{method.name});
    double sum = 0;
    for (const std::size_t s : result.switches) {
      const double regret = method.regret_per_round.at(s).value_or(0);
      row.push_back(fmt::format("{:.5f}", regret));
      sum += regret;
    }
    row.push_back(fmt::format("{:.5f}", sum / static_cast<double>(result.switches.size())));
    row.push_back(fmt::format("{:.5f}", method.mean_loss));
    const std::string rates = method.chosen_in_hindsight + method.chosen_on_training_part;
    if (!rates.empty()) chosen += fmt::format("{} {}", chosen.empty() ? "" : ",", rates);
  }
  return text(table) +
         fmt::format(
             "\nbest expert of the test part: {} {:.5f}\n"
             "* rates chosen in hindsight; nobody can play these. Rates chosen, in the "
             "order of the table:{}\n",
             result.best_expert.name, result.best_expert.mean_loss, chosen) +
         unclipped_table(result);
}

}  // namespace pcgs::studies
