// What pcgs run found, in words and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/charts.h"
#include "report/sections.h"
#include "report/study.h"
#include "stats/paired.h"

namespace pcgs::report {

namespace {

std::string switches_text(std::size_t n) {
  return fmt::format("{} switch{}", n, n == 1 ? "" : "es");
}

bool playable(const ordered_json& method) { return !method.contains("chosen_in_hindsight"); }

// Methods that can be played, the best first; where none can, all of them.
std::vector<ordered_json> ranking(const ordered_json& run) {
  std::vector<ordered_json> methods;
  for (const auto& method : run.at("methods")) {
    if (playable(method)) methods.push_back(method);
  }
  if (methods.empty()) methods.assign(run.at("methods").begin(), run.at("methods").end());
  if (methods.empty()) run.at("methods").at(0);  // says that there is none
  std::stable_sort(methods.begin(), methods.end(), [](const auto& a, const auto& b) {
    return a.at("total_loss").template get<double>() < b.at("total_loss").template get<double>();
  });
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
  const auto paired = stats::compare(first.block_losses, second.block_losses,
                                     stats::Bootstrap(n, stats::kResamples, 1));
  const auto parts = static_cast<double>(n);
  std::size_t won = 0, lost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (first.block_losses[i] < second.block_losses[i]) ++won;
    if (first.block_losses[i] > second.block_losses[i]) ++lost;
  }
  return fmt::format(
      "Cut into {} equal parts, {} loses less than {} in {} of them and more in {}, and the "
      "difference over the whole run has the 95 % interval [{:.2f}, {:.2f}], as far as the parts "
      "are "
      "like independent runs.",
      n, first.name, second.name, won, lost, parts * paired.ci_low, parts * paired.ci_high);
}

std::string certificate_sentence(const ordered_json& method) {
  const auto name = method.at("name").get<std::string>();
  if (!method.contains("certificate")) {
    return fmt::format("Nothing is proved here about {}.", name);
  }
  const auto& proof = method.at("certificate");
  const std::string against =
      proof.contains("switches")
          ? fmt::format("the best path with at most {}",
                        switches_text(proof.at("switches").get<std::size_t>()))
          : std::string("the path of experts for which the proof says most");
  return fmt::format(
      "The certificate of {} {}: its regret{} to {} is proved to be at most {:.2f}, without any "
      "assumption on the losses, and was {:.2f}.",
      name, proof.at("holds").get<bool>() ? "holds" : "DOES NOT HOLD",
      proof.contains("weighted_by_eta") ? ", weighted by eta," : "", against,
      proof.at("bound").get<double>(), proof.at("regret").get<double>());
}

}  // namespace

std::vector<Block> run_summary(const ordered_json& run, const RunDepth* depth) {
  std::vector<Block> blocks;
  const auto methods = ranking(run);
  const ordered_json& first = methods.at(0);
  const auto name = first.at("name").get<std::string>();
  const double loss = first.at("total_loss").get<double>();
  const auto rounds = run.at("rounds").get<double>();
  std::string lead =
      fmt::format("{} lost {:.2f} in {:.0f} round{}", name, loss, rounds, rounds == 1 ? "" : "s");
  if (methods.size() > 1) {
    const auto& second = methods[1];
    const double behind = second.at("total_loss").get<double>() - loss;
    lead += fmt::format(", the least of {} methods: {:.2f} ({:.1f} %) less than {}, the next best",
                        methods.size(), behind,
                        100 * behind / std::max(second.at("total_loss").get<double>(), 1e-300),
                        second.at("name").get<std::string>());
  }
  blocks.emplace_back(Paragraph{lead + ".", true});

  Figures figures;
  figures.all.push_back({number(loss, "{:.2f}"), fmt::format("total loss of {}", name)});
  for (const auto& budget : run.at("switches")) {
    const std::size_t s = budget.get<std::size_t>();
    figures.all.push_back(
        {number(first.at("dynamic_regret").at(std::to_string(s)), "{:.2f}"),
         fmt::format("its regret to the best path with at most {}", switches_text(s))});
  }
  if (first.contains("certificate")) {
    figures.all.push_back({number(first.at("certificate").at("bound"), "{:.2f}"),
                           "what its certificate proves as a bound"});
  }
  blocks.emplace_back(std::move(figures));

  if (methods.size() > 1) {
    const auto* a = find(depth, name);
    const auto* b = find(depth, methods[1].at("name").get<std::string>());
    if (a != nullptr && b != nullptr) {
      if (auto sure = sureness(*a, *b); !sure.empty()) blocks.emplace_back(Paragraph{sure});
    }
  }
  std::string hindsight;
  if (const auto& best = run.at("best_expert"); !best.is_null()) {
    hindsight =
        fmt::format("In hindsight the best single expert, {}, lost {:.2f}",
                    best.at("name").get<std::string>(), best.at("total_loss").get<double>());
  }
  for (const auto& budget : run.at("switches")) {
    const auto& value = run.at("oracle").at(std::to_string(budget.get<std::size_t>()));
    if (value.is_null()) continue;
    hindsight += fmt::format("{} the best path with at most {} lost {:.2f}",
                             hindsight.empty() ? "In hindsight" : ",",
                             switches_text(budget.get<std::size_t>()), value.get<double>());
  }
  if (!hindsight.empty()) {
    const auto last = std::to_string(last_budget(run));
    const auto& regret = first.at("dynamic_regret").at(last);
    if (!regret.is_null()) {
      hindsight +=
          fmt::format(", the exact optimum; to the last, {} has a regret of {:.4g} a round", name,
                      regret.get<double>() / rounds);
    }
    blocks.emplace_back(Paragraph{hindsight + "."});
  }
  blocks.emplace_back(Paragraph{certificate_sentence(first)});
  return blocks;
}

Section run_section(const ordered_json& run) {
  Section section{"methods-section", "All methods", {}};
  Table table;
  table.id = "methods";
  table.caption =
      "Total loss, and dynamic regret: the loss beyond the exact best path of experts with at most "
      "S switches";
  table.head = {{"method", "name"}, {"total loss", "total_loss"}};
  for (const auto& budget : run.at("switches")) {
    const auto s = budget.get<std::size_t>();
    table.head.push_back({fmt::format("regret S={}", s), fmt::format("dynamic_regret.{}", s)});
  }
  const auto& methods = run.at("methods");
  const auto any = [&](const char* key) {
    return std::any_of(methods.begin(), methods.end(),
                       [&](const auto& method) { return method.contains(key); });
  };
  const bool forecasts = any("mean_forecast_loss"), certified = any("certificate");
  if (forecasts) table.head.push_back({"mean loss of its forecast", "mean_forecast_loss"});
  if (certified) {
    table.head.push_back({"proved regret", "certificate.bound"});
    table.head.push_back({"that regret", "certificate.regret"});
  }
  table.head.push_back({"ns a round", "ns_per_round"});
  double least = INFINITY;
  for (const auto& method : methods) {
    least = playable(method) ? std::min(least, method.at("total_loss").get<double>()) : least;
  }
  bool starred = false, weighted = false;
  std::vector<std::string> names;
  std::vector<double> losses;
  for (const auto& method : methods) {
    names.push_back(method.at("name").get<std::string>());
    if (playable(method) && method.at("total_loss").get<double>() == least) {
      table.strong.push_back(table.rows.size());
    }
    auto& row = table.rows.emplace_back();
    row.push_back({names.back()});
    row.push_back(number(method.at("total_loss"), "{:.3f}"));
    for (const auto& budget : run.at("switches")) {
      row.push_back(number(
          method.at("dynamic_regret").at(std::to_string(budget.get<std::size_t>())), "{:.3f}"));
    }
    if (forecasts) {
      row.push_back(method.contains("mean_forecast_loss")
                        ? number(method.at("mean_forecast_loss"), "{:.6g}")
                        : Cell{""});
    }
    if (certified) {
      const bool has = method.contains("certificate");
      const bool by_eta = has && method.at("certificate").contains("weighted_by_eta");
      for (const char* key : {"bound", "regret"}) {
        row.push_back(has ? number(method.at("certificate").at(key), "{:.2f}") : Cell{""});
        if (by_eta) row.back().text += " †";
      }
      weighted = weighted || by_eta;
    }
    row.push_back(number(method.at("ns_per_round"), "{:.0f}"));
    starred = starred || !playable(method);
  }
  section.blocks.emplace_back(std::move(table));
  if (starred) {
    std::string note = "* Rates chosen in hindsight; nobody can play these:";
    for (const auto& method : methods) {
      if (playable(method)) continue;
      note += ' ' + method.at("chosen_in_hindsight").get<std::string>();
    }
    section.blocks.emplace_back(Paragraph{note + "."});
  }
  if (weighted) {
    section.blocks.emplace_back(
        Paragraph{"† Weighted by each round's eta, which changed: not in units of loss."});
  }

  Chart chart;
  chart.id = "regret-by-method";
  chart.title = "Regret of each method";
  chart.note =
      "Dynamic regret against the best path with so many switches; further left is better.";
  chart.alternative = "The dynamic regrets of the table, one row of dots for each method.";
  chart.height = static_cast<int>(40 + 24 * names.size());
  std::vector<std::string> budgets;
  for (const auto& budget : run.at("switches")) {
    const auto s = std::to_string(budget.get<std::size_t>());
    budgets.push_back("S = " + s);
    std::vector<double> regrets;
    std::vector<std::string> whose;
    for (const auto& method : methods) {
      const auto& regret = method.at("dynamic_regret").at(s);
      if (regret.is_null()) continue;
      regrets.push_back(regret.get<double>());
      whose.push_back(method.at("name").get<std::string>());
    }
    chart.groups.push_back(
        {{"switches", budgets.back()}, {"method", whose}, {"regret", drawn(regrets)}});
  }
  ordered_json shade = nominal("switches", "", budgets);
  shade["title"] = nullptr;
  const ordered_json tooltip = ordered_json::array(
      {{{"field", "method"}}, {{"field", "switches"}}, {{"field", "regret"}, {"format", ".3f"}}});
  ordered_json y = nominal("method", "", names);
  y["title"] = nullptr;
  chart.spec = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 90}, {"opacity", 0.9}}},
                {"encoding",
                 {{"y", y},
                  {"x", quantitative("regret", "dynamic regret")},
                  {"color", shade},
                  {"shape", shade},
                  {"tooltip", tooltip}}}};
  section.blocks.emplace_back(std::move(chart));
  return section;
}

}  // namespace pcgs::report
