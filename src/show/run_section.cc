// What pcgs run found, in words and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/statistics.h"
#include "show/curves.h"
#include "show/run_result.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

using results::RunResult;
using results::switches_text;

bool playable(const RunResult::Method& method) { return method.chosen_in_hindsight.empty(); }

// Methods that can be played, the best first; where none can, all of them.
std::vector<const RunResult::Method*> ranking(const RunResult& run) {
  const bool any = std::any_of(run.methods.begin(), run.methods.end(),
                               [](const auto& method) { return playable(method); });
  std::vector<const RunResult::Method*> methods;
  for (const auto& method : run.methods) {
    if (playable(method) || !any) methods.push_back(&method);
  }
  std::stable_sort(methods.begin(), methods.end(),
                   [](const auto* a, const auto* b) { return a->total_loss < b->total_loss; });
  return methods;
}

const MethodDepth* find(const RunDepth* depth, const std::string& name) {
  if (depth == nullptr) return nullptr;
  for (const auto& method : depth->methods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

// How sure the first place is: the parts of the run as if they were runs of their own.
std::string sureness(const MethodDepth& first, const MethodDepth& second) {
  const std::size_t n = first.block_losses.size();
  if (n < 5) return "";
  std::vector<double> saved;  // in each part
  for (std::size_t i = 0; i < n; ++i) {
    saved.push_back(second.block_losses[i] - first.block_losses[i]);
  }
  const auto interval = stats::Bootstrap(n, stats::kResamples, 1).interval(saved);
  const auto parts = static_cast<double>(n);
  std::size_t won = 0, lost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (first.block_losses[i] < second.block_losses[i]) ++won;
    if (first.block_losses[i] > second.block_losses[i]) ++lost;
  }
  return fmt::format(
      "Cut into {} equal parts, {} loses less than {} in {} of them and more in {}, and the "
      "difference over the whole run has the 95 % interval [{:.2f}, {:.2f}], as far as the parts "
      "are like independent runs.",
      n, first.name, second.name, won, lost, parts * interval.low, parts * interval.high);
}

std::string certificate_sentence(const RunResult::Method& method) {
  if (!method.certificate) return fmt::format("Nothing is proved here about {}.", method.name);
  const auto& proof = *method.certificate;
  return fmt::format(
      "The certificate of {} {}: its regret{} to {} is proved to be at most {:.2f}, without any "
      "assumption on the losses, and was {:.2f}.",
      method.name, proof.holds ? "holds" : "DOES NOT HOLD",
      proof.weighted_by_eta ? ", weighted by eta," : "",
      proof.switches ? "the best path with at most " + switches_text(*proof.switches)
                     : "the path of experts for which the proof says most",
      proof.bound, proof.regret);
}

// The best expert and the best paths; empty if there are none.
std::string hindsight_sentence(const RunResult& run, const RunResult::Method& first) {
  std::string out;
  if (run.best_expert) {
    out = fmt::format("In hindsight the best single expert, {}, lost {:.2f}", run.best_expert->name,
                      run.best_expert->total_loss);
  }
  for (const std::size_t s : run.switches) {
    const auto& loss = run.oracle.at(s);
    if (!loss) continue;
    out += fmt::format("{} the best path with at most {} lost {:.2f}",
                       out.empty() ? "In hindsight" : ",", switches_text(s), *loss);
  }
  if (out.empty()) return out;
  if (const auto& regret = first.dynamic_regret.at(run.switches.back())) {
    out += fmt::format(", the exact optimum; to the last, {} has a regret of {:.4g} a round",
                       first.name, *regret / static_cast<double>(run.rounds));
  }
  return out + ".";
}

// As they were given; of forecasts, the combination first.
template <class Methods>
void put_combination_first(const RunResult& run, Methods& methods) {
  if (run.answer) std::rotate(methods.begin(), methods.end() - 1, methods.end());
}

std::vector<const RunResult::Method*> in_order(const RunResult& run) {
  std::vector<const RunResult::Method*> methods;
  for (const auto& method : run.methods) methods.push_back(&method);
  put_combination_first(run, methods);
  return methods;
}

Table methods_table(const RunResult& run) {
  Table table = regret_table(run);
  put_combination_first(run, table.rows);
  table.id = "methods";
  table.caption =
      "Total loss, and dynamic regret: the loss beyond the exact best path of experts with at most "
      "S switches";
  double least = INFINITY;
  for (const auto& method : run.methods) {
    if (playable(method)) least = std::min(least, method.total_loss);
  }
  const auto methods = in_order(run);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    // Of forecasts, these losses do not say which are the best.
    const bool best =
        run.answer ? i == 0 : playable(*methods[i]) && methods[i]->total_loss == least;
    if (best) table.strong.push_back(i);
  }
  return table;
}

Chart regret_chart(const RunResult& run) {
  Chart chart{
      .id = "regret-by-method",
      .title = "Regret of each method",
      .note = "Dynamic regret against the best path with so many switches; further left is better.",
      .alternative = "The dynamic regrets of the table, one row of dots for each method.",
      .uses = "dots",
      .height = static_cast<int>(40 + 24 * run.methods.size())};
  std::vector<std::string> budgets, names;
  for (const std::size_t s : run.switches) {
    budgets.push_back(fmt::format("S = {}", s));
    std::vector<double> regrets;
    std::vector<std::string> whose;
    for (const auto* method : in_order(run)) {
      const auto& regret = regret_of(*method).at(s);
      if (!regret) continue;
      regrets.push_back(*regret);
      whose.push_back(method->name);
    }
    chart.groups.push_back(
        {{"series", budgets.back()}, {"name", whose}, {"value", drawn(regrets)}});
  }
  for (const auto* method : in_order(run)) names.push_back(method->name);
  chart.values = {{"names", names}, {"series", budgets}, {"palette", "budgets"}};
  return chart;
}

// "5 models, combined by blend in 3000 rounds from 2026-03-01 to 2026-07-03".
std::string forecasts_subtitle(const RunResult& run) {
  std::string out = fmt::format("{} model{}, combined by {} in {} round{}", run.experts.size(),
                                run.experts.size() == 1 ? "" : "s", run.methods.back().name,
                                run.rounds, run.rounds == 1 ? "" : "s");
  if (const auto& times = run.answer->times) {
    out += fmt::format(" from {} to {}", unbroken(times->first), unbroken(times->last));
  }
  return out;
}

std::vector<Block> run_summary(const RunResult& run, const RunDepth* depth) {
  const auto methods = ranking(run);
  const auto& first = *methods.front();
  std::string lead = fmt::format("{} lost {:.2f} in {} round{}", first.name, first.total_loss,
                                 run.rounds, run.rounds == 1 ? "" : "s");
  if (methods.size() > 1) {
    const double next = methods[1]->total_loss, behind = next - first.total_loss;
    lead += fmt::format(", the least of {} methods: {:.2f} ({:.1f} %) less than {}, the next best",
                        methods.size(), behind, 100 * behind / std::max(next, 1e-300),
                        methods[1]->name);
  }
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{lead + ".", true});

  Figures figures;
  figures.all.push_back(
      {number(first.total_loss, "{:.2f}"), fmt::format("total loss of {}", first.name)});
  for (const std::size_t s : run.switches) {
    figures.all.push_back(
        {number(first.dynamic_regret.at(s), "{:.2f}"),
         fmt::format("its regret to the best path with at most {}", switches_text(s))});
  }
  if (first.certificate) {
    figures.all.push_back(
        {number(first.certificate->bound, "{:.2f}"), "what its certificate proves as a bound"});
  }
  blocks.emplace_back(std::move(figures));

  const auto* a = find(depth, first.name);
  const auto* b = methods.size() > 1 ? find(depth, methods[1]->name) : nullptr;
  if (a != nullptr && b != nullptr) {
    if (auto sure = sureness(*a, *b); !sure.empty()) blocks.emplace_back(Paragraph{sure});
  }
  if (auto hindsight = hindsight_sentence(run, first); !hindsight.empty()) {
    blocks.emplace_back(Paragraph{hindsight});
  }
  blocks.emplace_back(Paragraph{certificate_sentence(first)});
  return blocks;
}

Section run_section(const RunResult& run) {
  Section section{"methods-section", run.answer ? "Regret" : "All methods", {}};
  if (run.answer) {
    section.blocks.emplace_back(Paragraph{fmt::format(
        "Regret sets the loss of the published forecasts, divided by a usual loss and {}, against "
        "that of the best sequence of models that could have been chosen afterwards, with a given "
        "number of switches: below 0, the combination was better than every such sequence.",
        run.bound.empty() ? "capped at 1" : "bent to 1")});
    const auto& combination = run.methods.back();
    if (combination.certificate) {
      section.blocks.emplace_back(Paragraph{certificate_sentence(combination)});
    }
  }
  section.blocks.emplace_back(methods_table(run));
  std::string chosen;
  bool weighted = false;
  for (const auto& method : run.methods) {
    if (!playable(method)) chosen += ' ' + method.chosen_in_hindsight;
    weighted = weighted || (method.certificate && method.certificate->weighted_by_eta);
  }
  if (!chosen.empty()) {
    section.blocks.emplace_back(
        Paragraph{"* Rates chosen in hindsight; nobody can play these:" + chosen + "."});
  }
  if (weighted) {
    section.blocks.emplace_back(
        Paragraph{"† Weighted by each round's eta, which changed: not in units of loss."});
  }
  section.blocks.emplace_back(regret_chart(run));
  return section;
}

}  // namespace

void show_run(const RunResult& run, const Shown& shown, PageParts& page) {
  if (!run.answer) {
    page.add(run_summary(run, shown.depth));
    page.add(run_section(run));
    return;
  }
  page.subtitle = forecasts_subtitle(run);
  page.add(forecaster_summary(*run.answer));
  page.add(forecaster_sections(run, shown.charts));
  if (!run.switches.empty()) page.later.push_back(run_section(run));
}

}  // namespace pcgs::report
