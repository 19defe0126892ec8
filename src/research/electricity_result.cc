// What the household benchmark found: a result for programs, a table and a page for people.
#include <fmt/format.h>

#include <algorithm>

#include "combine/hindsight_methods.h"
#include "data/json_fields.h"
#include "data/text_table.h"
#include "research/electricity.h"
#include "show/kinds.h"
#include "show/sections.h"

namespace pcgs::results {

void fields(Fields& f, ElectricityResult::BestExpert& expert) {
  f("name", expert.name, "mean_loss", expert.mean_loss);
}

void fields(Fields& f, ElectricityResult::Method& method) {
  f("name", method.name);
  f.unless_empty("chosen_in_hindsight", method.chosen_in_hindsight);
  f.unless_empty("chosen_on_training_part", method.chosen_on_training_part);
  f("mean_loss", method.mean_loss, "regret_per_round", method.regret_per_round);
  f.unless_empty("unclipped_mean_loss", method.unclipped_mean_loss);
  f.unless_empty("unclipped_regret_per_round", method.unclipped_regret_per_round);
  f("ns_per_round", method.ns_per_round);
}

void fields(Fields& f, ElectricityResult& study) {
  f("file", study.file, "column", study.column, "seasons", study.seasons, "observations",
    study.observations, "burn_in", study.burn_in, "training_rounds", study.training_rounds,
    "rounds", study.rounds, "scale", study.scale, "experts", study.experts, "best_expert",
    study.best_expert, "switches", study.switches, "oracle_mean_loss", study.oracle_mean_loss);
  f.unless_empty("bound", study.bound);
  f.unless_empty("unclipped_oracle_mean_loss", study.unclipped_oracle_mean_loss);
  f("methods", study.methods);
  f.require(!study.switches.empty(), "switches", "is empty");
  f.require(study.oracle_mean_loss.has_all(study.switches) &&
                (!study.unclipped_oracle_mean_loss ||
                 study.unclipped_oracle_mean_loss->has_all(study.switches)),
            "oracle_mean_loss", "lacks one of the switch budgets");
  f.require(!study.methods.empty(), "methods", "is empty");
  f.require(std::all_of(study.methods.begin(), study.methods.end(),
                        [&](const auto& m) {
                          return m.regret_per_round.has_all(study.switches) &&
                                 (!m.unclipped_regret_per_round ||
                                  m.unclipped_regret_per_round->has_all(study.switches));
                        }),
            "methods", "lack regrets for one of the switch budgets");
}

const Kind& ElectricityResult::kind() {
  static const Kind kKind = make_kind<ElectricityResult, report::show_electricity>(40);
  return kKind;
}

}  // namespace pcgs::results

namespace pcgs::studies {

using results::ElectricityResult;

ElectricityResult electricity_result(const std::string& origin, const Observations& observations,
                                     const SplitLosses& losses, const Comparison& comparison) {
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

// What pcgs electricity found, in words and as a table.

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

}  // namespace

void show_electricity(const ElectricityResult& study, const Shown& /*shown*/, PageParts& page) {
  page.add(electricity_summary(study));
  page.add(electricity_section(study));
}

}  // namespace pcgs::report
