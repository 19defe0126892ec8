#include "results/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/text_table.h"
#include "results/answer_table.h"

namespace pcgs::results {

namespace {

std::string scale_text(const RunResult& run) {
  return fmt::format(", losses divided by {:.6g} in the end and capped at 1", run.scale);
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
    out +=
        fmt::format("{} with {} {}", separator, s == 1 ? "1 switch" : fmt::format("{} switches", s),
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
    out += fmt::format(
        "\nBeside the best sequence of experts{}. Regret: the loss beyond that of the best "
        "sequence "
        "with at most S switches, found in hindsight; below 0, the forecast was better than it.\n",
        scale_text(run));
  } else {
    table.caption = caption(run, origin);
  }
  out += fmt::format("{}\n{}\n", text(table), hindsight_text(run));
  for (const RunResult::Method& method : run.methods) {
    if (!method.chosen_in_hindsight.empty()) chosen += ' ' + method.chosen_in_hindsight;
  }
  if (!chosen.empty()) {
    out += fmt::format("* rates chosen in hindsight; nobody can play these:{}\n", chosen);
  }
  return out;
}

}  // namespace pcgs::results
