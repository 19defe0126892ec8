// What the household benchmark found: one JSON object for programs, one table for people.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/text_table.h"
#include "methods/hindsight.h"
#include "studies/electricity.h"

namespace pcgs::studies {

namespace {

using compare::Comparison;
using compare::MethodResult;
using nlohmann::ordered_json;

double per_round(const Comparison& comparison, double x) {
  return x / static_cast<double>(comparison.rounds);
}

}  // namespace

ordered_json electricity_json(const ElectricityStudy& study) {
  const SplitLosses& losses = study.losses;
  const Comparison& comparison = study.comparison;
  const auto by_budget = [&](const std::vector<double>& values) {
    ordered_json out = ordered_json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
      out[std::to_string(comparison.switches[i])] = per_round(comparison, values[i]);
    }
    return out;
  };
  ordered_json out;
  out["kind"] = "electricity";
  out["file"] = study.origin;
  out["column"] = study.observations.column;
  out["seasons"] = study.observations.seasons;
  out["observations"] = losses.observations;
  out["burn_in"] = losses.burn_in;
  out["training_rounds"] = losses.training.rows;
  out["rounds"] = losses.test.rows;
  out["scale"] = losses.scale;
  out["experts"] = losses.experts;
  out["best_expert"] = {{"name", losses.experts[comparison.best_expert]},
                        {"mean_loss", per_round(comparison, comparison.best_expert_loss)}};
  out["switches"] = comparison.switches;
  out["oracle_mean_loss"] = by_budget(comparison.oracle);
  out["methods"] = ordered_json::array();
  for (const MethodResult& method : comparison.methods) {
    ordered_json one;
    one["name"] = method.name;
    if (!method.chosen.empty()) {
      one[!is_playable(method.name) ? "chosen_in_hindsight" : "chosen_on_training_part"] =
          method.chosen;
    }
    one["mean_loss"] = per_round(comparison, method.total_loss);
    one["regret_per_round"] = by_budget(method.regret);
    one["ns_per_round"] = method.ns_per_round;
    out["methods"].push_back(std::move(one));
  }
  return out;
}

std::string electricity_table(const ElectricityStudy& study) {
  const SplitLosses& losses = study.losses;
  const Comparison& comparison = study.comparison;
  io::TextTable table;
  table.caption = fmt::format(
      "{}: {}, {}\nlast {} observations: {} of burn-in, {} to train, {} to test; {} experts; "
      "squared "
      "errors divided by {:.6g} and clipped at 1\ndynamic regret per round of the test part "
      "against "
      "the best path with at most S switches",
      study.origin, study.observations.column, study.observations.description, losses.observations,
      losses.burn_in, losses.training.rows, losses.test.rows, losses.experts.size(), losses.scale);
  table.head = {"method"};
  for (const std::size_t s : comparison.switches) table.head.push_back(fmt::format("S={}", s));
  table.head.insert(table.head.end(), {"average", "mean loss"});
  std::string chosen;
  for (const MethodResult& method : comparison.methods) {
    table.rows.push_back({method.name});
    double sum = 0;
    for (const double r : method.regret) {
      table.rows.back().push_back(fmt::format("{:.5f}", per_round(comparison, r)));
      sum += per_round(comparison, r);
    }
    table.rows.back().push_back(
        fmt::format("{:.5f}", sum / static_cast<double>(method.regret.size())));
    table.rows.back().push_back(fmt::format("{:.5f}", per_round(comparison, method.total_loss)));
    if (!method.chosen.empty()) {
      chosen += fmt::format("{} {}", chosen.empty() ? "" : ",", method.chosen);
    }
  }
  return text(table) +
         fmt::format(
             "\nbest expert of the test part: {} {:.5f}\n"
             "* rates chosen in hindsight; nobody can play these. Rates chosen, in the "
             "order of the table:{}\n",
             losses.experts[comparison.best_expert],
             per_round(comparison, comparison.best_expert_loss), chosen);
}

}  // namespace pcgs::studies
