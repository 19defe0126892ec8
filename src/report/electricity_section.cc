// What pcgs electricity found, in words and as a table.
#include <fmt/format.h>

#include <algorithm>

#include "report/charts.h"
#include "report/sections.h"
#include "report/study.h"

namespace pcgs::report {

namespace {

double last_regret(const ordered_json& study, const ordered_json& method) {
  const auto s = last_budget(study);
  return method.at("regret_per_round").at(std::to_string(s)).get<double>();
}

}  // namespace

std::vector<Block> electricity_summary(const ordered_json& study) {
  const ordered_json *first = nullptr, *second = nullptr, *tuned = nullptr;
  for (const auto& method : study.at("methods")) {
    const bool playable = !method.contains("chosen_in_hindsight");
    const bool lower = first == nullptr || last_regret(study, method) < last_regret(study, *first);
    if (!playable) {
      if (tuned == nullptr || last_regret(study, method) < last_regret(study, *tuned)) {
        tuned = &method;
      }
    } else if (lower) {
      second = first;
      first = &method;
    } else if (second == nullptr || last_regret(study, method) < last_regret(study, *second)) {
      second = &method;
    }
  }
  if (first == nullptr) std::swap(first, tuned);
  if (first == nullptr) first = &study.at("methods").at(0);  // says that there is none
  const auto s = last_budget(study);
  std::string lead = fmt::format(
      "On {} rounds of {} that no method that can be played was tuned on, {} has a dynamic regret "
      "of {:.5f} a round "
      "against the best path with at most {} switches",
      study.at("rounds").get<std::size_t>(), study.at("column").get<std::string>(),
      first->at("name").get<std::string>(), last_regret(study, *first), s);
  if (second != nullptr) {
    lead += fmt::format("; {} comes next with {:.5f}", second->at("name").get<std::string>(),
                        last_regret(study, *second));
  }
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{lead + ".", true});
  Figures figures;
  figures.all.push_back(
      {number(last_regret(study, *first), "{:.5f}"),
       fmt::format("regret a round of {}", first->at("name").get<std::string>())});
  if (tuned != nullptr) {
    figures.all.push_back(
        {number(last_regret(study, *tuned), "{:.5f}"),
         fmt::format("of {}, tuned in hindsight", tuned->at("name").get<std::string>())});
  }
  figures.all.push_back({number(first->at("mean_loss"), "{:.5f}"), "its mean loss"});
  figures.all.push_back({number(study.at("best_expert").at("mean_loss"), "{:.5f}"),
                         fmt::format("mean loss of the best expert, {}",
                                     study.at("best_expert").at("name").get<std::string>())});
  blocks.emplace_back(std::move(figures));
  blocks.emplace_back(Paragraph{fmt::format(
      "{} observations: {} of burn-in, {} to train on, {} to test; {} experts; squared errors "
      "divided by {:.6g} and clipped at 1.",
      study.at("observations").get<std::size_t>(), study.at("burn_in").get<std::size_t>(),
      study.at("training_rounds").get<std::size_t>(), study.at("rounds").get<std::size_t>(),
      study.at("experts").size(), study.at("scale").get<double>())});
  return blocks;
}

Section electricity_section(const ordered_json& study) {
  Section section{"electricity", "All methods on the series", {}};
  Table table;
  table.id = "electricity-methods";
  table.caption =
      "Dynamic regret per round of the test part, against the best path with at most S switches";
  table.head = {{"method", "name"}};
  for (const auto& budget : study.at("switches")) {
    const auto s = budget.get<std::size_t>();
    table.head.push_back({fmt::format("S={}", s), fmt::format("regret_per_round.{}", s)});
  }
  table.head.push_back({"mean loss", "mean_loss"});
  table.head.push_back({"ns a round", "ns_per_round"});
  table.head.push_back({"rates", ""});
  for (const auto& method : study.at("methods")) {
    auto& row = table.rows.emplace_back();
    row.push_back({method.at("name").get<std::string>()});
    for (const auto& budget : study.at("switches")) {
      row.push_back(number(
          method.at("regret_per_round").at(std::to_string(budget.get<std::size_t>())), "{:.5f}"));
    }
    row.push_back(number(method.at("mean_loss"), "{:.5f}"));
    row.push_back(number(method.at("ns_per_round"), "{:.0f}"));
    std::string rates;
    for (const char* key : {"chosen_in_hindsight", "chosen_on_training_part"}) {
      if (method.contains(key)) rates = method.at(key).get<std::string>();
    }
    row.push_back({rates});
  }
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(
      Paragraph{"* Rates chosen in hindsight on the test part; nobody can play these. Other rates "
                "were chosen "
                "on the training part."});
  return section;
}

}  // namespace pcgs::report
