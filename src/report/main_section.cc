// The main study: all families, all methods, sequence by sequence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/charts.h"
#include "report/sections.h"
#include "report/study.h"

namespace pcgs::report {

namespace {

double mean_of(const ordered_json& method) { return method.at("mean").get<double>(); }

// The one with the lowest mean among those that can be played; null if there is none.
const ordered_json* winner(const ordered_json& family) {
  const ordered_json* best = nullptr;
  for (const auto& method : family.at("methods")) {
    if (!playable(method.at("name").get<std::string>())) continue;
    if (best == nullptr || mean_of(method) < mean_of(*best)) best = &method;
  }
  return best;
}

std::vector<std::string> family_names(const ordered_json& study) {
  std::vector<std::string> names;
  for (const auto& family : study.at("families")) {
    names.push_back(family.at("name").get<std::string>());
  }
  return names;
}

std::string featured(const ordered_json& study) {
  return study.at("config").at("featured").get<std::string>();
}

// Methods down, families across. `cell` says what stands there.
template <class CellOf>
Table by_family(const ordered_json& study, const std::vector<std::string>& methods, CellOf cell) {
  Table table;
  table.head.push_back({"method", "name"});
  for (const auto& family : family_names(study)) table.head.push_back({family, family});
  for (const auto& method : methods) {
    auto& row = table.rows.emplace_back();
    row.push_back({method});
    for (const auto& family : study.at("families")) row.push_back(cell(family, method));
  }
  return table;
}

Table means_table(const ordered_json& study) {
  const auto methods = method_names(study.at("families"));
  Table table = by_family(study, methods, [](const ordered_json& family, const std::string& name) {
    const auto* method = named(family.at("methods"), name);
    if (method == nullptr) return Cell{""};
    Cell cell = number(method->at("mean"), "{:.2f}");
    cell.text += fmt::format(" ± {:.2f}", method->at("std").get<double>());
    return cell;
  });
  table.id = "means";
  table.caption = "Dynamic regret, mean ± standard deviation; " + setting(study);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (methods[i] == featured(study)) table.strong.push_back(i);
  }
  return table;
}

Chart means_chart(const ordered_json& study) {
  Chart chart;
  chart.id = "means-chart";
  chart.title = "Regret by family";
  chart.note =
      "Dynamic regret, mean and standard deviation over the sequences; further left is better. "
      "Starred methods are tuned in hindsight, and bayes knows the law that made the losses.";
  const auto methods = method_names(study.at("families"));
  for (const auto& family : study.at("families")) {
    std::vector<std::string> names;
    std::vector<double> mean, low, high;
    for (const auto& method : family.at("methods")) {
      names.push_back(method.at("name").get<std::string>());
      const double m = mean_of(method), s = method.at("std").get<double>();
      mean.push_back(m);
      low.push_back(m - s);
      high.push_back(m + s);
    }
    chart.groups.push_back({{"family", family.at("name")},
                            {"method", names},
                            {"mean", drawn(mean)},
                            {"low", drawn(low)},
                            {"high", drawn(high)}});
    if (const auto* best = winner(family)) {
      chart.alternative += fmt::format("{}{}: {} {:.1f}", chart.alternative.empty() ? "" : "; ",
                                       family.at("name").get<std::string>(),
                                       best->at("name").get<std::string>(), mean_of(*best));
    }
  }
  chart.alternative =
      "Lowest mean regret of a method that can be played: " + chart.alternative + ".";
  chart.height = static_cast<int>(20 + 15 * methods.size());
  ordered_json y = nominal("method", "", methods);
  y["title"] = nullptr;
  ordered_json color = method_colors(methods);
  color["legend"] = nullptr;
  const ordered_json tooltip =
      ordered_json::array({{{"field", "method"}},
                           {{"field", "mean"}, {"format", ".2f"}},
                           {{"field", "low"}, {"format", ".2f"}, {"title", "mean - std"}},
                           {{"field", "high"}, {"format", ".2f"}, {"title", "mean + std"}}});
  const ordered_json bars = {{"mark", {{"type", "rule"}, {"strokeWidth", 2}, {"opacity", 0.55}}},
                             {"encoding",
                              {{"y", y},
                               {"x", quantitative("low", "dynamic regret")},
                               {"x2", {{"field", "high"}}},
                               {"color", color}}}};
  const ordered_json dots = {
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 55}, {"opacity", 1}}},
      {"encoding",
       {{"y", y},
        {"x", quantitative("mean", "dynamic regret")},
        {"color", color},
        {"tooltip", tooltip}}}};
  ordered_json facet = nominal("family", "", family_names(study));
  facet["title"] = nullptr;
  chart.spec = {{"usermeta", {{"facetWidth", 260}}},
                {"facet", facet},
                {"spec", {{"layer", ordered_json::array({bars, dots})}}},
                {"resolve", {{"scale", {{"x", "independent"}}}}}};
  return chart;
}

// How much less the featured method lost than another one, for each sequence.
Chart paired_chart(const ordered_json& study, const std::string& opponent, std::size_t index) {
  const std::string ours = featured(study);
  Chart chart;
  chart.id = fmt::format("paired-{}", index + 1);
  chart.title = fmt::format("{} against {}, sequence by sequence", ours, opponent);
  chart.note = fmt::format(
      "One dot for each sequence: regret of {} less that of {}. Right of zero {} is better; the "
      "bar "
      "is the 95 % interval of the mean.",
      opponent, ours, ours);
  std::size_t wins = 0, all = 0;
  std::vector<std::string> names;
  std::vector<double> low, high, mean;
  for (const auto& family : study.at("families")) {
    const auto* a = named(family.at("methods"), ours);
    const auto* b = named(family.at("methods"), opponent);
    if (a == nullptr || b == nullptr) continue;
    std::vector<double> difference, sequence;
    const auto& regret_a = a->at("regret");
    const auto& regret_b = b->at("regret");
    for (std::size_t i = 0; i < regret_a.size(); ++i) {
      difference.push_back(regret_b.at(i).get<double>() - regret_a.at(i).get<double>());
      sequence.push_back(static_cast<double>(i + 1));
      if (difference.back() > 0) ++wins;
      ++all;
    }
    chart.groups.push_back({{"family", family.at("name")},
                            {"difference", drawn(difference)},
                            {"sequence", drawn(sequence)}});
    if (const auto* paired = comparison(family, ours, opponent)) {
      names.push_back(family.at("name").get<std::string>());
      low.push_back(paired->at("ci_low").get<double>());
      high.push_back(paired->at("ci_high").get<double>());
      mean.push_back(paired->at("mean_improvement").get<double>());
    }
  }
  const ordered_json intervals = {
      {"family", names}, {"low", drawn(low)}, {"high", drawn(high)}, {"mean", drawn(mean)}};
  chart.datasets = {{"intervals", ordered_json::array({intervals})}};
  chart.alternative =
      fmt::format("{} has the lower regret on {} of {} sequences.", ours, wins, all);
  chart.height = static_cast<int>(60 + 34 * study.at("families").size());
  ordered_json y = nominal("family", "", family_names(study));
  y["title"] = nullptr;
  const ordered_json zero = {{"mark", {{"type", "rule"}, {"color", themed("faint")}}},
                             {"encoding", {{"x", {{"datum", 0}, {"type", "quantitative"}}}}}};
  const ordered_json dots = {
      {"mark",
       {{"type", "point"},
        {"filled", true},
        {"size", 40},
        {"opacity", 0.45},
        {"color", "#1c7ed6"}}},
      {"encoding",
       {{"y", y},
        {"x", quantitative("difference", "less regret")},
        {"tooltip", ordered_json::array({{{"field", "sequence"}},
                                         {{"field", "difference"}, {"format", ".2f"}}})}}}};
  const ordered_json bars = {
      {"data", {{"name", "intervals"}}},
      {"mark", {{"type", "rule"}, {"strokeWidth", 3}, {"color", themed("ink")}}},
      {"encoding",
       {{"y", y}, {"x", quantitative("low", "less regret")}, {"x2", {{"field", "high"}}}}}};
  const ordered_json centres = {
      {"data", {{"name", "intervals"}}},
      {"mark", {{"type", "tick"}, {"thickness", 2}, {"size", 16}, {"color", themed("ink")}}},
      {"encoding",
       {{"y", y},
        {"x", quantitative("mean", "less regret")},
        {"tooltip", ordered_json::array({{{"field", "mean"}, {"format", ".2f"}},
                                         {{"field", "low"}, {"format", ".2f"}},
                                         {{"field", "high"}, {"format", ".2f"}}})}}}};
  chart.spec = {{"layer", ordered_json::array({zero, dots, bars, centres})}};
  return chart;
}

std::optional<Block> paired_choice(const ordered_json& study) {
  const std::string ours = featured(study);
  std::vector<std::string> opponents;
  for (const auto& name : method_names(study.at("families"))) {
    if (name != ours) opponents.push_back(name);
  }
  // The strongest comparison first.
  std::stable_partition(opponents.begin(), opponents.end(),
                        [](const auto& name) { return name == kTuned; });
  if (opponents.empty()) return std::nullopt;
  Choice choice{"paired", "Compared with", {}};
  for (std::size_t i = 0; i < opponents.size(); ++i) {
    choice.options.push_back({opponents[i], {paired_chart(study, opponents[i], i)}});
  }
  return choice;
}

// Colour and text for each method and family.
Chart heat_map(const ordered_json& study, const std::vector<std::string>& methods,
               const std::vector<std::vector<double>>& values, const char* axis, double low,
               double high) {
  Chart chart;
  const auto families = family_names(study);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    chart.groups.push_back(
        {{"method", methods[m]}, {"family", families}, {"value", drawn(values[m])}});
  }
  chart.height = static_cast<int>(30 + 22 * methods.size());
  ordered_json y = nominal("method", "", methods), x = nominal("family", "", families);
  y["title"] = nullptr;
  x["title"] = nullptr;
  x["axis"] = {{"orient", "top"}, {"labelAngle", -30}};
  ordered_json color = quantitative("value", axis);
  color["scale"] = {
      {"range", kWorseToBetter}, {"domain", {low, (low + high) / 2, high}}, {"clamp", true}};
  color["legend"] = nullptr;
  const ordered_json tooltip =
      ordered_json::array({{{"field", "method"}},
                           {{"field", "family"}},
                           {{"field", "value"}, {"format", ".0%"}, {"title", axis}}});
  const ordered_json cells = {
      {"mark", {{"type", "rect"}}},
      {"encoding", {{"x", x}, {"y", y}, {"color", color}, {"tooltip", tooltip}}}};
  const ordered_json texts = {
      {"transform", ordered_json::array({{{"filter", "isValid(datum.value)"}}})},
      {"mark",
       {{"type", "text"},
        {"fontSize", {{"expr", "min(10, bandwidth('x') / 3.2)"}}},
        {"color", kOnHeat}}},
      {"encoding",
       {{"x", x},
        {"y", y},
        {"text", {{"field", "value"}, {"type", "quantitative"}, {"format", ".0%"}}}}}};
  chart.spec = {{"layer", ordered_json::array({cells, texts})}};
  return chart;
}

std::vector<std::string> others(const ordered_json& study) {
  auto methods = method_names(study.at("families"));
  std::erase(methods, kTuned);
  return methods;
}

std::optional<Chart> wins_chart(const ordered_json& study) {
  if (named(study.at("families").at(0).at("methods"), kTuned) == nullptr) return std::nullopt;
  const auto methods = others(study);
  std::vector<std::vector<double>> values;
  for (const auto& method : methods) {
    auto& row = values.emplace_back();
    for (const auto& family : study.at("families")) {
      const auto* paired = comparison(family, method, kTuned);
      row.push_back(paired != nullptr ? paired->at("win_rate").get<double>() : std::nan(""));
    }
  }
  if (methods.empty()) return std::nullopt;
  Chart chart = heat_map(study, methods, values, "sequences won", 0, 1);
  chart.id = "wins";
  chart.title = fmt::format("How often each method beats {}", kTuned);
  chart.note = fmt::format(
      "Share of sequences with less regret than {}, whose rates are tuned in hindsight for each "
      "family.",
      kTuned);
  chart.alternative = fmt::format("Win rates against {}:", kTuned);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    double mean = 0, count = 0;
    for (const double x : values[m]) {
      if (std::isnan(x)) continue;
      mean += x;
      ++count;
    }
    if (count > 0) {
      chart.alternative +=
          fmt::format("{} {} {:.0f} %", m == 0 ? "" : ",", methods[m], 100 * mean / count);
    }
  }
  chart.alternative += ", averaged over the families.";
  return chart;
}

std::optional<Chart> closed_chart(const ordered_json& study) {
  auto methods = others(study);
  std::erase(methods, kLimit);
  std::vector<std::vector<double>> values;
  bool any = false;
  for (const auto& name : methods) {
    auto& row = values.emplace_back();
    for (const auto& family : study.at("families")) {
      const auto* method = named(family.at("methods"), name);
      const bool has = method != nullptr && method->contains("share_closed") &&
                       !method->at("share_closed").is_null();
      row.push_back(has ? method->at("share_closed").get<double>() : std::nan(""));
      any = any || has;
    }
  }
  if (!any) return std::nullopt;
  Chart chart = heat_map(study, methods, values, "distance closed", -1, 1);
  chart.id = "closed";
  chart.title = "Share of the distance to the limit that is closed";
  chart.note = fmt::format(
      "0 % is {}, tuned in hindsight; 100 % is the filter that knows the law of the losses, which "
      "nobody can beat on average. Negative: worse than {}. Empty where the limit is unknown.",
      kTuned, kTuned);
  const auto at = std::find(methods.begin(), methods.end(), featured(study));
  if (at != methods.end()) {
    chart.alternative = fmt::format("{} closes", *at);
    const auto& row = values[static_cast<std::size_t>(at - methods.begin())];
    const auto families = family_names(study);
    for (std::size_t f = 0; f < row.size(); ++f) {
      if (!std::isnan(row[f])) {
        chart.alternative += fmt::format(" {:.0f} % on {},", 100 * row[f], families[f]);
      }
    }
    chart.alternative.back() = '.';
  } else {
    chart.alternative = "How far each method gets from tuned Fixed Share to the limit.";
  }
  return chart;
}

}  // namespace

std::vector<Block> main_summary(const ordered_json& study) {
  std::vector<Block> blocks;
  const std::string ours = featured(study);
  std::size_t first = 0, won = 0, played = 0;
  std::string intervals;
  double worst_p = 0;
  for (const auto& family : study.at("families")) {
    const auto* best = winner(family);
    if (best != nullptr && best->at("name").get<std::string>() == ours) ++first;
    const auto* paired = comparison(family, ours, kTuned);
    if (paired == nullptr) continue;
    const auto& mine = present(family.at("methods"), ours).at("regret");
    const auto& theirs = present(family.at("methods"), kTuned).at("regret");
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine.at(i).get<double>() < theirs.at(i).get<double>()) ++won;
      ++played;
    }
    const double limit = present(family.at("methods"), kTuned).at("mean").get<double>();
    const double better = paired->at("mean_improvement").get<double>();
    intervals +=
        fmt::format("{} {} {:+.1f} [{:+.1f}, {:+.1f}]{}", intervals.empty() ? "" : ";",
                    family.at("name").get<std::string>(), better,
                    paired->at("ci_low").get<double>(), paired->at("ci_high").get<double>(),
                    limit > 0 ? fmt::format(" ({:+.0f} %)", 100 * better / limit) : "");
    worst_p = std::max(worst_p, paired->value("wilcoxon_p_holm", 1.0));
  }
  const std::size_t families = study.at("families").size();
  std::string lead = fmt::format(
      "{} has the lowest mean dynamic regret of all methods that can be played in {} of {} "
      "famil{}",
      ours, first, families, families == 1 ? "y" : "ies");
  if (played > 0) {
    lead += fmt::format(
        ", and less regret than {}, tuned in hindsight for each family, on {} of {} sequences",
        kTuned, won, played);
  }
  blocks.emplace_back(Paragraph{lead + ".", true});
  Figures figures;
  for (const auto& family : study.at("families")) {
    if (const auto* mine = named(family.at("methods"), ours)) {
      figures.all.push_back(
          {number(mine->at("mean"), "{:.1f}"),
           fmt::format("regret of {} on {}", ours, family.at("name").get<std::string>())});
    }
  }
  blocks.emplace_back(std::move(figures));
  if (!intervals.empty()) {
    blocks.emplace_back(Paragraph{fmt::format(
        "Mean improvement over {} with its 95 % interval:{}. The largest p of Wilcoxon's test, "
        "corrected for the number of families, is {:.2g}.",
        kTuned, intervals, worst_p)});
  }
  blocks.emplace_back(Paragraph{
      fmt::format("Regret is the loss beyond the exact best sequence of experts in hindsight ({}).",
                  setting(study))});
  return blocks;
}

Section main_section(const ordered_json& study) {
  Section section{"main", "Main study", {}};
  section.blocks.emplace_back(means_chart(study));
  section.blocks.emplace_back(means_table(study));
  if (auto choice = paired_choice(study)) section.blocks.push_back(std::move(*choice));
  if (auto chart = wins_chart(study)) section.blocks.emplace_back(std::move(*chart));
  if (auto chart = closed_chart(study)) section.blocks.emplace_back(std::move(*chart));
  return section;
}

}  // namespace pcgs::report
