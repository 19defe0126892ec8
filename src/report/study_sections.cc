// The smaller studies: the robustness grid, scaling, ablations, and the mechanism in numbers.
#include <fmt/format.h>

#include <algorithm>

#include "report/charts.h"
#include "report/sections.h"
#include "report/study.h"

namespace pcgs::report {

Section heavy_tail_section(const ordered_json& study) {
  Section section{"heavy-tail", "Robustness: heavy tails and jumps", {}};
  const auto ours = study.at("config").at("featured").get<std::string>();
  const auto methods = method_names(study.at("cells"));
  study.at("cells").at(0).at("methods").at(0);  // or it says that there is none
  const std::string opponent =
      named(study.at("cells").at(0).at("methods"), kTuned) != nullptr && ours != kTuned
          ? kTuned
          : (methods.front() != ours ? methods.front() : methods.back());

  Chart chart;
  chart.id = "grid";
  chart.title = fmt::format("Improvement of {} over {}", ours, opponent);
  chart.note = fmt::format(
      "Mean regret that {} saves in each cell of the grid: fewer degrees of freedom mean heavier "
      "tails. Below it, its 95 % interval.",
      ours);
  chart.height = 300;
  std::vector<std::string> df, jump, interval;
  std::vector<double> better;
  double most = 1e-9;
  std::vector<std::string> rows, columns;
  for (const auto& cell : study.at("cells")) {
    const auto* paired = comparison(cell, ours, opponent);
    if (paired == nullptr) continue;
    df.push_back(fmt::format("{:g}", cell.at("df").get<double>()));
    jump.push_back(fmt::format("{:g}", cell.at("jump_probability").get<double>()));
    if (std::find(rows.begin(), rows.end(), df.back()) == rows.end()) rows.push_back(df.back());
    if (std::find(columns.begin(), columns.end(), jump.back()) == columns.end()) {
      columns.push_back(jump.back());
    }
    better.push_back(paired->at("mean_improvement").get<double>());
    most = std::max(most, std::abs(better.back()));
    interval.push_back(fmt::format("[{:.1f}, {:.1f}]", paired->at("ci_low").get<double>(),
                                   paired->at("ci_high").get<double>()));
  }
  if (!better.empty()) {
    const auto [low, high] = std::minmax_element(better.begin(), better.end());
    chart.alternative = fmt::format("{} saves between {:.1f} and {:.1f} over the {} cells.", ours,
                                    *low, *high, better.size());
    chart.groups.push_back(
        {{"df", df}, {"jump", jump}, {"improvement", drawn(better)}, {"interval", interval}});
    const ordered_json x = nominal("jump", "probability of a jump", columns);
    const ordered_json y = nominal("df", "degrees of freedom", rows);
    ordered_json color = quantitative("improvement", "less regret");
    color["scale"] = {{"range", kWorseToBetter}, {"domain", {-most, 0, most}}};
    color["legend"] = nullptr;
    ordered_json flat_x = x;
    flat_x["axis"] = {{"labelAngle", 0}};
    const auto text = [&](const char* field, double dy, int size, bool numeric) {
      ordered_json what = {{"field", field}, {"type", numeric ? "quantitative" : "nominal"}};
      if (numeric) what["format"] = "+.1f";
      return ordered_json{
          {"mark", {{"type", "text"}, {"dy", dy}, {"fontSize", size}, {"color", kOnHeat}}},
          {"encoding", {{"x", flat_x}, {"y", y}, {"text", what}}}};
    };
    const ordered_json cells = {{"mark", {{"type", "rect"}}},
                                {"encoding", {{"x", flat_x}, {"y", y}, {"color", color}}}};
    chart.spec = {{"layer", ordered_json::array({cells, text("improvement", -6, 15, true),
                                                 text("interval", 12, 11, false)})}};
    section.blocks.emplace_back(std::move(chart));
  }

  Table table;
  table.id = "grid-means";
  table.caption = "Dynamic regret, mean; " + setting(study);
  table.head = {{"cell"}};
  for (const auto& method : methods) table.head.push_back({method, method});
  for (const auto& cell : study.at("cells")) {
    auto& row = table.rows.emplace_back();
    row.push_back({fmt::format("df {:g}, jumps {:g}", cell.at("df").get<double>(),
                               cell.at("jump_probability").get<double>())});
    for (const auto& name : methods) {
      const auto* method = named(cell.at("methods"), name);
      row.push_back(method != nullptr ? number(method->at("mean"), "{:.2f}") : Cell{""});
    }
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section scaling_section(const ordered_json& study) {
  Section section{"scaling", "Scaling: more and more experts", {}};
  const auto methods = method_names(study.at("pools"));
  constexpr const char* kExact = "exact oracle";
  constexpr const char* kGenerating = "generating path";

  Chart chart;
  chart.id = "scaling-chart";
  chart.title = "Regret by number of experts";
  chart.note =
      "Against the exact best path, and against the path that generated the losses, which may take "
      "more switches. Bars: one standard deviation.";
  chart.height = 340;
  Table table;
  table.id = "scaling-means";
  table.caption =
      "Regret against the exact oracle / against the generating path, mean; " + setting(study);
  table.head = {{"method", "name"}};
  for (const auto& pool : study.at("pools")) {
    const auto experts = pool.at("experts").get<std::size_t>();
    table.head.push_back({fmt::format("K = {}", experts), fmt::format("{}", experts)});
    table.head.push_back({"generating path"});
  }
  for (const auto& name : methods) {
    auto& row = table.rows.emplace_back();
    row.push_back({name});
    std::vector<double> experts, exact, low, high, generating_experts, generating;
    for (const auto& pool : study.at("pools")) {
      const auto* method = named(pool.at("methods"), name);
      if (method == nullptr) {
        row.insert(row.end(), 2, Cell{""});
        continue;
      }
      experts.push_back(pool.at("experts").get<double>());
      const double mean = method->at("mean").get<double>(), std = method->at("std").get<double>();
      exact.push_back(mean);
      low.push_back(mean - std);
      high.push_back(mean + std);
      row.push_back(number(mean, "{:.2f}"));
      if (!method->contains("generating_path_regret")) {
        row.push_back({""});
        continue;
      }
      generating_experts.push_back(experts.back());
      generating.push_back(method->at("generating_path_regret").at("mean").get<double>());
      row.push_back(number(generating.back(), "{:.2f}"));
    }
    chart.groups.push_back({{"method", name},
                            {"comparator", kExact},
                            {"experts", drawn(experts)},
                            {"regret", drawn(exact)},
                            {"low", drawn(low)},
                            {"high", drawn(high)}});
    chart.groups.push_back({{"method", name},
                            {"comparator", kGenerating},
                            {"experts", drawn(generating_experts)},
                            {"regret", drawn(generating)}});
    chart.alternative +=
        fmt::format("{}{} from {:.1f} to {:.1f}", chart.alternative.empty() ? "" : ", ", name,
                    exact.front(), exact.back());
  }
  chart.alternative = "Regret from the smallest to the largest pool: " + chart.alternative + ".";
  ordered_json x = quantitative("experts", "experts");
  x["scale"] = {{"type", "log"}, {"base", 2}};
  std::vector<double> ticks;
  for (const auto& pool : study.at("pools")) ticks.push_back(pool.at("experts").get<double>());
  x["axis"] = {{"values", ticks}, {"format", "d"}, {"grid", false}};
  const ordered_json color = method_colors(methods);
  ordered_json dash = nominal("comparator", "", {kExact, kGenerating});
  dash["title"] = nullptr;
  dash["scale"] = {{"domain", {kExact, kGenerating}}, {"range", {{1, 0}, {5, 4}}}};
  const ordered_json tooltip = ordered_json::array({{{"field", "method"}},
                                                    {{"field", "comparator"}},
                                                    {{"field", "experts"}},
                                                    {{"field", "regret"}, {"format", ".2f"}}});
  const ordered_json lines = {
      {"mark", {{"type", "line"}, {"strokeWidth", 1.6}, {"point", {{"size", 30}}}}},
      {"encoding",
       {{"x", x},
        {"y", quantitative("regret", "dynamic regret")},
        {"color", color},
        {"strokeDash", dash},
        {"tooltip", tooltip}}}};
  const ordered_json bars = {
      {"transform", ordered_json::array({{{"filter", "isValid(datum.low)"}}})},
      {"mark", {{"type", "rule"}, {"opacity", 0.4}}},
      {"encoding",
       {{"x", x},
        {"y", quantitative("low", "dynamic regret")},
        {"y2", {{"field", "high"}}},
        {"color", color}}}};
  chart.spec = {{"layer", ordered_json::array({bars, lines})}};
  section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section ablation_section(const ordered_json& study) {
  Section section{"ablation", "Ablations: what each choice is worth", {}};
  const auto methods = method_names(study.at("families"));
  std::vector<std::string> families;
  for (const auto& family : study.at("families")) {
    families.push_back(family.at("name").get<std::string>());
  }
  Chart chart;
  chart.id = "ablation-chart";
  chart.title = "Regret without one of the choices";
  chart.note =
      "Dynamic regret, mean and standard deviation; further left is better. The first row is the "
      "whole.";
  Table table;
  table.id = "ablation-means";
  table.caption = "Dynamic regret, mean ± standard deviation; " + setting(study);
  table.head = {{"variant", "name"}};
  for (const auto& name : families) table.head.push_back({name, name});
  for (const auto& name : methods) table.rows.push_back({{name}});
  for (const auto& family : study.at("families")) {
    std::vector<std::string> variants;
    std::vector<double> mean, low, high;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const auto* method = named(family.at("methods"), methods[m]);
      if (method == nullptr) {
        table.rows[m].push_back({""});
        continue;
      }
      const double at = method->at("mean").get<double>(), std = method->at("std").get<double>();
      variants.push_back(methods[m]);
      mean.push_back(at);
      low.push_back(at - std);
      high.push_back(at + std);
      Cell cell = number(at, "{:.2f}");
      cell.text += fmt::format(" ± {:.2f}", std);
      table.rows[m].push_back(std::move(cell));
    }
    chart.groups.push_back({{"family", family.at("name")},
                            {"variant", variants},
                            {"mean", drawn(mean)},
                            {"low", drawn(low)},
                            {"high", drawn(high)}});
  }
  chart.alternative = "The means of the table below, one row of dots for each variant.";
  chart.height = static_cast<int>(20 + 18 * methods.size());
  ordered_json y = nominal("variant", "", methods);
  y["title"] = nullptr;
  y["axis"] = {{"labelLimit", 190}};
  const ordered_json tooltip =
      ordered_json::array({{{"field", "variant"}}, {{"field", "mean"}, {"format", ".2f"}}});
  const ordered_json bars = {
      {"mark", {{"type", "rule"}, {"strokeWidth", 2}, {"opacity", 0.5}}},
      {"encoding",
       {{"y", y}, {"x", quantitative("low", "dynamic regret")}, {"x2", {{"field", "high"}}}}}};
  const ordered_json dots = {
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 55}, {"opacity", 1}}},
      {"encoding",
       {{"y", y}, {"x", quantitative("mean", "dynamic regret")}, {"tooltip", tooltip}}}};
  ordered_json facet = nominal("family", "", families);
  facet["title"] = nullptr;
  chart.spec = {{"usermeta", {{"facetWidth", 300}}},
                {"facet", facet},
                {"spec", {{"layer", ordered_json::array({bars, dots})}}},
                {"resolve", {{"scale", {{"x", "independent"}}}}}};
  section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section mechanism_section(const ordered_json& study) {
  Section section{"mechanism", "Mechanism in numbers", {}};
  Table table;
  table.id = "mechanism-means";
  table.caption = "Restarts around the switches of the oracle's path; " + setting(study);
  table.head = {{"family and method"},
                {"rho after a switch", "rho_after_switch"},
                {"elsewhere", "rho_elsewhere"},
                {"ratio", "rho_ratio"},
                {"q on the next expert", "q_on_next"},
                {"entropy of q", "q_entropy"},
                {"correlation with volatility", "rho_volatility_correlation"},
                {"effective complexity", "effective_complexity"},
                {"of uniform restarts", "uniform_complexity"}};
  Chart chart;
  chart.id = "restarts-by-family";
  chart.title = "Restarts after a switch and elsewhere";
  chart.note = "Mean rho in the five rounds after the best path switches, and in all others.";
  std::vector<std::string> families;
  const auto methods = method_names(study.at("families"));
  for (const auto& family : study.at("families")) {
    families.push_back(family.at("name").get<std::string>());
    for (const auto& method : family.at("methods")) {
      const auto name = method.at("name").get<std::string>();
      auto& row = table.rows.emplace_back();
      row.push_back({families.back() + ": " + name});
      for (std::size_t c = 1; c < table.head.size(); ++c) {
        const double x = method.at(table.head[c].key).get<double>();
        row.push_back(number(x, std::abs(x) < 0.01 ? "{:.2g}" : "{:.3f}"));
      }
      const double after = method.at("rho_after_switch").get<double>();
      const double elsewhere = method.at("rho_elsewhere").get<double>();
      if (!(after > 0) || !(elsewhere > 0)) continue;
      chart.groups.push_back({{"family", families.back()},
                              {"method", name},
                              {"when", {"after a switch", "elsewhere"}},
                              {"rho", drawn({after, elsewhere})}});
      if (name == study.at("config").at("featured").get<std::string>()) {
        chart.alternative += fmt::format("{}{} {:.1f}", chart.alternative.empty() ? "" : ", ",
                                         families.back(), after / elsewhere);
      }
    }
  }
  if (!chart.groups.empty()) {
    chart.alternative = chart.alternative.empty()
                            ? "Mean rho after switches and elsewhere, for each family and method."
                            : "Times as many restarts of the featured method after a switch as "
                              "elsewhere: " +
                                  chart.alternative + ".";
    chart.height = static_cast<int>(20 + 20 * methods.size());
    ordered_json y = nominal("method", "", methods);
    y["title"] = nullptr;
    ordered_json x = quantitative("rho", "rho");
    x["scale"] = {{"type", "log"}};
    x["axis"] = {{"format", ".0e"}, {"tickCount", 4}};
    ordered_json color = nominal("when", "", {"after a switch", "elsewhere"});
    color["title"] = nullptr;
    color["scale"] = {{"domain", {"after a switch", "elsewhere"}},
                      {"range", {"#e8590c", "#868e96"}}};
    ordered_json facet = nominal("family", "", families);
    facet["title"] = nullptr;
    const ordered_json dots = {
        {"mark", {{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 0.9}}},
        {"encoding", {{"y", y}, {"x", x}, {"color", color}}}};
    chart.spec = {{"usermeta", {{"facetWidth", 260}}},
                  {"facet", facet},
                  {"spec", dots},
                  {"resolve", {{"axis", {{"x", "independent"}}}}}};
    section.blocks.emplace_back(std::move(chart));
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace pcgs::report
