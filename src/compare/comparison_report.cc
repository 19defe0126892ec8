#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/comparison.h"

namespace pcgs::compare {

namespace {

std::string time_text(double ns) {
  if (ns < 1e4) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e7) return fmt::format("{:.0f} us", ns / 1e3);
  return fmt::format("{:.0f} ms", ns / 1e6);
}

std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string pad_left(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

}  // namespace

std::string comparison_table(const Problem& problem, const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> head = {"method", "total loss"};
  for (const std::size_t s : comparison.switches) head.push_back(fmt::format("regret S={}", s));
  if (problem.has_forecasts()) head.push_back(fmt::format("mean {} loss", problem.task.name()));
  head.emplace_back("time/round");
  rows.push_back(head);

  bool hindsight = false;
  for (const MethodResult& method : comparison.methods) {
    std::vector<std::string> row = {method.name, fmt::format("{:.3f}", method.total_loss)};
    for (const double r : method.regret) {
      row.push_back(std::isfinite(r) ? fmt::format("{:.3f}", r) : "none");
    }
    if (method.mean_forecast_loss) row.push_back(fmt::format("{:.6g}", *method.mean_forecast_loss));
    row.push_back(time_text(method.ns_per_round));
    rows.push_back(std::move(row));
    hindsight = hindsight || !method.chosen.empty();
  }
  std::vector<std::size_t> width(head.size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }

  std::string out = fmt::format("{}: {}, {}", problem.origin, counted(comparison.rounds, "round"),
                                counted(problem.experts.size(), "expert"));
  if (comparison.scale != 1) {
    out += fmt::format(", losses divided by {:.6g} in the end and capped at 1", comparison.scale);
  }
  if (comparison.skipped > 0) {
    out += fmt::format(", {} skipped with nobody awake", counted(comparison.skipped, "round"));
  }
  out += "\n\n";
  for (const auto& row : rows) {
    out += fmt::format("{:<{}}", row[0], width[0]);
    for (std::size_t c = 1; c < row.size(); ++c) out += "  " + pad_left(row[c], width[c]);
    out += '\n';
  }

  out += "\nin hindsight:";
  if (std::isfinite(comparison.best_expert_loss)) {
    out += fmt::format(" best expert {} {:.3f};", problem.experts[comparison.best_expert],
                       comparison.best_expert_loss);
  }
  out += " best path";
  for (std::size_t i = 0; i < comparison.switches.size(); ++i) {
    const double loss = comparison.oracle[i];
    out += fmt::format("{} with {} {}", i == 0 ? "" : ",",
                       comparison.switches[i] == 1
                           ? "1 switch"
                           : fmt::format("{} switches", comparison.switches[i]),
                       std::isfinite(loss) ? fmt::format("{:.3f}", loss) : "does not exist");
  }
  out += '\n';
  if (hindsight) {
    out += "* rates chosen in hindsight; nobody can play these:";
    for (const MethodResult& method : comparison.methods) {
      if (!method.chosen.empty()) out += ' ' + method.chosen;
    }
    out += '\n';
  }
  return out;
}

}  // namespace pcgs::compare
