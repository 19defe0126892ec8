#include "show/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "data/text_table.h"
#include "show/answer_table.h"

namespace pcgs::results {

namespace {

std::string scale_text(const RunResult& run) {
  return fmt::format(", losses divided by {:.6g} in the end and {}", run.scale,
                     run.bound.empty() ? "capped at 1" : "bent to 1 by Catoni's function");
}

std::string caption(const RunResult& run, const std::string& origin) {
  std::string out = fmt::format("{}: {}, {}", origin, io::counted(run.rounds, "round"),
                                io::counted(run.experts.size(), "expert"));
  if (run.answer && run.answer->times) {
    out += fmt::format(", from {} to {}", run.answer->times->first, run.answer->times->last);
  }
  if (!run.answer && run.scale != 1) out += scale_text(run);
  if (run.skipped_rounds > 0) {
    out += fmt::format(", {} skipped with nobody awake", io::counted(run.skipped_rounds, "round"));
  }
  return out;
}

std::string switches_text(std::size_t n) {
  return n == 1 ? "1 switch" : fmt::format("{} switches", n);
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

// Losses of forecasts where there are any, since that is what is published; else of the weights.
io::TextTable regret_table(const RunResult& run) {
  io::TextTable table{"", {"method", run.answer ? "loss of its forecasts" : "total loss"}, {}};
  for (const std::size_t s : run.switches) table.head.push_back(fmt::format("regret S={}", s));
  table.head.emplace_back("time/round");
  for (const RunResult::Method& method : run.methods) {
    const double loss = method.total_forecast_loss.value_or(method.total_loss);
    auto& row = table.rows.emplace_back(std::vector{method.name, fmt::format("{:.3f}", loss)});
    for (const std::size_t s : run.switches) {
      const auto& regret =
          (method.forecast_regret ? *method.forecast_regret : method.dynamic_regret).at(s);
      row.push_back(regret ? fmt::format("{:.3f}", *regret) : "none");
    }
    row.push_back(io::time_text(method.ns_per_round));
  }
  return table;
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

}  // namespace

std::string run_table(const RunResult& run, const std::string& origin) {
  std::string out, chosen;
  io::TextTable table = regret_table(run);
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
