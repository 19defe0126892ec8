// What pcgs electricity found, in words and as a table.
#include <fmt/format.h>

#include <algorithm>

#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::ElectricityResult;
using Methods = std::vector<const ElectricityResult::Method*>;

// Against the last of the budgets.
double regret_of(const ElectricityResult& study, const ElectricityResult::Method& method) {
  return method.regret_per_round.at(study.switches.back()).value_or(0);
}

// Those that can be played, or those that were tuned in hindsight, the best first.
Methods ranking(const ElectricityResult& study, bool playable) {
  Methods methods;
  for (const auto& method : study.methods) {
    if (method.chosen_in_hindsight.empty() == playable) methods.push_back(&method);
  }
  std::stable_sort(methods.begin(), methods.end(), [&](const auto* a, const auto* b) {
    return regret_of(study, *a) < regret_of(study, *b);
  });
  return methods;
}

}  // namespace

std::vector<Block> electricity_summary(const ElectricityResult& study) {
  Methods playable = ranking(study, true), tuned = ranking(study, false);
  if (playable.empty()) std::swap(playable, tuned);
  const auto& first = *playable.front();
  std::string lead = fmt::format(
      "On {} rounds of {} that no method that can be played was tuned on, {} has a dynamic regret "
      "of {:.5f} a round against the best path with at most {} switches",
      study.rounds, study.column, first.name, regret_of(study, first), study.switches.back());
  if (playable.size() > 1) {
    lead += fmt::format("; {} comes next with {:.5f}", playable[1]->name,
                        regret_of(study, *playable[1]));
  }
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{lead + ".", true});
  Figures figures;
  figures.all.push_back(
      {number(regret_of(study, first), "{:.5f}"), "regret a round of " + first.name});
  if (!tuned.empty()) {
    figures.all.push_back({number(regret_of(study, *tuned.front()), "{:.5f}"),
                           fmt::format("of {}, tuned in hindsight", tuned.front()->name)});
  }
  figures.all.push_back({number(first.mean_loss, "{:.5f}"), "its mean loss"});
  figures.all.push_back({number(study.best_expert.mean_loss, "{:.5f}"),
                         "mean loss of the best expert, " + study.best_expert.name});
  blocks.emplace_back(std::move(figures));
  blocks.emplace_back(Paragraph{fmt::format(
      "{} observations: {} of burn-in, {} to train on, {} to test; {} "
      "experts; squared errors divided by {:.6g} and {}.",
      study.observations, study.burn_in, study.training_rounds, study.rounds, study.experts.size(),
      study.scale, study.bound.empty() ? "clipped at 1" : "bent to 1")});
  return blocks;
}

Section electricity_section(const ElectricityResult& study) {
  Section section{"electricity", "All methods on the series", {}};
  Table table;
  table.id = "electricity-methods";
  table.caption =
      "Dynamic regret per round of the test part, against the best path with at most S switches";
  table.head = {{"method", "name"}};
  for (const std::size_t s : study.switches) {
    table.head.push_back({fmt::format("S={}", s), fmt::format("regret_per_round.{}", s)});
  }
  table.head.push_back({"mean loss", "mean_loss"});
  table.head.push_back({"ns a round", "ns_per_round"});
  table.head.push_back({"rates", ""});
  for (const auto& method : study.methods) {
    auto& row = table.rows.emplace_back();
    row.push_back({method.name});
    for (const std::size_t s : study.switches) {
      row.push_back(number(method.regret_per_round.at(s), "{:.5f}"));
    }
    row.push_back(number(method.mean_loss, "{:.5f}"));
    row.push_back(number(method.ns_per_round, "{:.0f}"));
    row.push_back({method.chosen_in_hindsight + method.chosen_on_training_part});
  }
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(
      Paragraph{"* Rates chosen in hindsight on the test part; nobody can play these. Other rates "
                "were chosen on the training part."});
  return section;
}

}  // namespace pcgs::report
