// One run in depth: regret, weights below the oracle's path, controls, certificates, over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/charts.h"
#include "report/sections.h"
#include "report/time_charts.h"

namespace pcgs::report {

namespace {

std::vector<std::string> names_of(const RunDepth& run) {
  std::vector<std::string> names;
  for (const auto& method : run.methods) names.push_back(method.name);
  return names;
}

// The experts that get a colour: those with the most weight, and those on the oracle's path.
std::vector<std::size_t> leading_experts(const RunDepth& run) {
  std::vector<double> score(run.experts.size());
  for (const auto& method : run.methods) {
    for (const auto& row : method.weights) {
      for (std::size_t k = 0; k < row.size(); ++k) {
        score[k] += row[k] / static_cast<double>(method.weights.size() * run.methods.size());
      }
    }
  }
  for (const auto& stay : run.path) {
    score[stay.expert] += (stay.to - stay.from + 1) / (run.last - run.first + 1);
  }
  std::vector<std::size_t> order(score.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
  if (order.size() > kColoredExperts) order.resize(kColoredExperts);
  return order;
}

struct Colored {
  explicit Colored(const RunDepth& run) : leaders(leading_experts(run)) {
    for (const std::size_t k : leaders) names.push_back(run.experts[k]);
    const std::size_t others = run.experts.size() - leaders.size();
    if (others > 0) rest = others == 1 ? "1 other" : fmt::format("{} others", others);
    // An expert may have that name.
    while (std::find(names.begin(), names.end(), rest) != names.end()) rest += " ";
  }
  std::string name(std::size_t expert) const {
    const auto at = std::find(leaders.begin(), leaders.end(), expert);
    return at == leaders.end() ? rest : names[static_cast<std::size_t>(at - leaders.begin())];
  }
  std::vector<std::size_t> leaders;
  std::vector<std::string> names;
  std::string rest;
};

ordered_json regret_groups(const RunDepth& run) {
  ordered_json groups = ordered_json::array();
  for (const auto& method : run.methods) {
    groups.push_back(curve(method.regret, "regret", {{"method", method.name}}));
  }
  return groups;
}

std::string regret_sentence(const RunDepth& run) {
  auto methods = run.methods;
  std::stable_sort(methods.begin(), methods.end(),
                   [](const auto& a, const auto& b) { return a.total_loss < b.total_loss; });
  std::string out = "Loss beyond " + path_name(run) + ", after the last round:";
  for (std::size_t i = 0; i < methods.size(); ++i) {
    out += fmt::format("{} {} {:.2f}", i == 0 ? "" : ",", methods[i].name,
                       methods[i].regret.y.empty() ? 0 : methods[i].regret.y.back());
  }
  return out + ".";
}

Window overview(const RunDepth& run, std::size_t index) {
  Window window;
  window.id = window_of(index);
  window.first = run.first;
  window.last = run.last;
  Chart& chart = window.overview;
  chart.id = window.id + "-overview";
  chart.title = "Choose a part of the run";
  chart.note = "Drag over the curves, or move the sliders; the charts below follow.";
  chart.alternative = regret_sentence(run);
  chart.height = 70;
  chart.canvas = true;
  chart.groups = regret_groups(run);
  ordered_json x = {{"field", "round"},
                    {"type", "quantitative"},
                    {"title", nullptr},
                    {"scale", {{"domain", {run.first, run.last}}, {"nice", false}}},
                    {"axis", {{"format", ",d"}, {"tickMinStep", 1}, {"grid", false}}}};
  ordered_json color = method_colors(names_of(run));
  color["legend"] = nullptr;
  const ordered_json brush = {
      {"name", "brush"},
      {"select", {{"type", "interval"}, {"encodings", ordered_json::array({"x"})}}}};
  chart.spec = {{"params", ordered_json::array({brush})},
                {"mark", line(1)},
                {"encoding",
                 {{"x", x},
                  {"y", {{"field", "regret"}, {"type", "quantitative"}, {"axis", nullptr}}},
                  {"color", color}}}};
  return window;
}

Chart regret_chart(const RunDepth& run, std::size_t index) {
  Chart chart;
  chart.id = fmt::format("regret-{}", index + 1);
  chart.title = "Regret so far";
  chart.note = fmt::format(
      "What each method has lost beyond {}. Flat: as good as that path; rising after a switch: the "
      "price of finding the new best expert.",
      path_name(run));
  chart.alternative = regret_sentence(run);
  chart.window = window_of(index);
  chart.canvas = true;
  chart.height = 300;
  chart.groups = regret_groups(run);
  chart.spec = {{"params", window_params(run.first, run.last)},
                {"mark", line()},
                {"encoding",
                 {{"x", time_axis()},
                  {"y", quantitative("regret", "loss beyond the path")},
                  {"color", method_colors(names_of(run))}}}};
  return chart;
}

Chart weights_chart(const RunDepth& run, const MethodDepth& method, const Colored& colored,
                    const std::string& id, std::size_t index) {
  Chart chart;
  chart.id = id + "-weights";
  chart.title = "Weights of " + method.name;
  chart.note = run.path.empty()
                   ? "The share that each expert has, one above the other."
                   : fmt::format(
                         "The share that each expert has, one above the other; the ribbon "
                         "on top is {}.",
                         path_name(run));
  chart.window = window_of(index);
  chart.canvas = true;
  chart.height = 280;
  const auto add = [&](const std::string& name, std::size_t rank, std::vector<double> weights) {
    chart.groups.push_back({{"expert", name},
                            {"rank", rank},
                            {"round", drawn(method.weight_rounds)},
                            {"weight", drawn(weights)}});
  };
  std::vector<double> rest(method.weights.size(), 1.0);
  for (std::size_t i = 0; i < colored.leaders.size(); ++i) {
    std::vector<double> weights;
    for (std::size_t t = 0; t < method.weights.size(); ++t) {
      weights.push_back(method.weights[t][colored.leaders[i]]);
      rest[t] -= weights.back();
    }
    add(colored.names[i], i, std::move(weights));
  }
  if (!colored.rest.empty()) {
    for (double& w : rest) w = std::max(w, 0.0);
    add(colored.rest, colored.leaders.size(), std::move(rest));
  }
  std::vector<double> from, end;
  std::vector<std::string> expert, name;
  for (std::size_t i = 0; i < run.path.size(); ++i) {
    from.push_back(run.path[i].from);
    end.push_back(i + 1 < run.path.size() ? run.path[i + 1].from : run.last);
    expert.push_back(colored.name(run.path[i].expert));
    name.push_back(run.experts[run.path[i].expert]);
  }
  const ordered_json path = {
      {"round", drawn(from)}, {"end", drawn(end)}, {"expert", expert}, {"name", name}};
  chart.datasets = {{"path", ordered_json::array({path})}};
  const auto most = static_cast<std::size_t>(
      std::max_element(method.mean_weights.begin(), method.mean_weights.end()) -
      method.mean_weights.begin());
  chart.alternative = fmt::format("Weights of {} over time. {} has the most, {:.0f} % on average.",
                                  method.name, run.experts[most], 100 * method.mean_weights[most]);
  if (!run.path.empty()) {
    chart.alternative += fmt::format(" Above them {}, which changes {} time{}.", path_name(run),
                                     run.path.size() - 1, run.path.size() == 2 ? "" : "s");
  }
  const double top = run.path.empty() ? 1 : 1.12;
  const ordered_json y_scale = {{"domain", {0, top}}, {"nice", false}};
  const ordered_json y_axis = {{"values", {0, 0.25, 0.5, 0.75, 1}}, {"format", ".0%"}};
  ordered_json color = expert_colors(colored.names, colored.rest);
  ordered_json areas = {
      {"mark", {{"type", "area"}, {"interpolate", "step-after"}, {"clip", true}, {"opacity", 0.9}}},
      {"encoding",
       {{"x", time_axis()},
        {"y",
         {{"field", "weight"},
          {"type", "quantitative"},
          {"stack", "zero"},
          {"title", "weight"},
          {"scale", y_scale},
          {"axis", y_axis}}},
        {"order", {{"field", "rank"}, {"type", "quantitative"}}},
        {"color", color}}}};
  ordered_json ribbon = {{"data", {{"name", "path"}}},
                         {"mark", {{"type", "rect"}, {"clip", true}}},
                         {"encoding",
                          {{"x", time_axis()},
                           {"x2", {{"field", "end"}}},
                           {"y",
                            {{"datum", 1.04},
                             {"type", "quantitative"},
                             {"scale", y_scale},
                             {"axis", y_axis},
                             {"title", "weight"}}},
                           {"y2", {{"datum", 1.12}}},
                           {"color", color},
                           {"tooltip",
                            {{{"field", "name"}, {"title", "best path"}},
                             {{"field", "round"}, {"title", "from round"}, {"format", ",d"}}}}}}};
  chart.spec = {{"params", window_params(run.first, run.last)},
                {"layer", run.path.empty() ? ordered_json::array({areas})
                                           : ordered_json::array({areas, ribbon})}};
  return chart;
}

Chart eta_chart(const RunDepth& run, const MethodDepth& method, std::size_t index,
                const std::string& id) {
  Chart chart =
      control_chart(run, index, id + "-eta", method.eta, spanning("eta", "eta", method.eta.y));
  chart.title = "Learning rate eta of " + method.name;
  chart.note = "How strongly a loss moves the weights. Vertical lines: the best path switches.";
  chart.alternative = range_sentence("Learning rate", method.name, method.eta);
  return chart;
}

Chart certificate_chart(const RunDepth& run, const MethodDepth& method, std::size_t index,
                        const std::string& id) {
  Chart chart;
  chart.id = id + "-certificate";
  chart.title = "Certificate of " + method.name;
  const std::string against =
      method.certified_switches ? path_name(run)
                                : std::string("the path of experts for which the proof says most");
  chart.note = fmt::format(
      "Regret to {}, after each round: proved to be at most the upper line, whatever the losses; "
      "the lower line is what happened.{}",
      against, method.weighted ? " Every loss is weighted by its round's eta, which changed." : "");
  chart.alternative =
      fmt::format("After the last round at most {:.2f} is proved and {:.2f} happened.",
                  method.bound.y.back(), method.certified_regret.y.back());
  chart.window = window_of(index);
  chart.height = 200;
  chart.canvas = true;
  chart.groups = {curve(method.bound, "regret", {{"line", "proved at most"}}),
                  curve(method.certified_regret, "regret", {{"line", "what happened"}})};
  chart.spec = {
      {"params", window_params(run.first, run.last)},
      {"mark", line()},
      {"encoding",
       {{"x", time_axis()},
        {"y", quantitative("regret", method.weighted ? "regret, weighted by eta" : "regret")},
        {"color",
         {{"field", "line"},
          {"type", "nominal"},
          {"title", nullptr},
          {"sort", nullptr},
          {"scale",
           {{"domain", {"proved at most", "what happened"}},
            {"range", {"#2f9e44", "#e8590c"}}}}}}}}};
  return chart;
}

std::vector<Block> blocks_of(const RunDepth& run, std::size_t index) {
  std::vector<Block> blocks;
  const bool has_regret = std::any_of(run.methods.begin(), run.methods.end(),
                                      [](const auto& m) { return !m.regret.y.empty(); });
  if (has_regret) {
    blocks.emplace_back(overview(run, index));
    blocks.emplace_back(regret_chart(run, index));
  }
  const Colored colored(run);
  Choice choice{fmt::format("method-{}", index + 1), "Method", {}};
  for (std::size_t m = 0; m < run.methods.size(); ++m) {
    const MethodDepth& method = run.methods[m];
    const std::string id = option_id("depth", index, m);
    Choice::Option option{method.name, {}};
    option.blocks.emplace_back(weights_chart(run, method, colored, id, index));
    if (!method.eta.y.empty()) {
      option.blocks.push_back(unless_constant(eta_chart(run, method, index, id), method.eta));
      option.blocks.push_back(unless_constant(rho_chart(run, method, index, id), method.rho));
    }
    if (!method.bound.y.empty()) {
      option.blocks.emplace_back(certificate_chart(run, method, index, id));
    }
    choice.options.push_back(std::move(option));
  }
  blocks.emplace_back(std::move(choice));
  return blocks;
}

Table experts_table(const RunDepth& run) {
  constexpr std::size_t kMostExperts = 25, kMostMethods = 5;
  std::vector<std::size_t> shown(run.experts.size());
  std::iota(shown.begin(), shown.end(), 0);
  Table table;
  table.id = "experts-of-run";
  table.caption = fmt::format(
      "The experts: total loss, rounds on {}, and the mean weight that methods gave them",
      path_name(run));
  if (shown.size() > kMostExperts) {
    const auto& weights = run.methods.front().mean_weights;
    std::stable_sort(shown.begin(), shown.end(),
                     [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    shown.resize(kMostExperts);
    table.caption += fmt::format("; the {} of {} to whom {} gave most", kMostExperts,
                                 run.experts.size(), run.methods.front().name);
  }
  table.head = {{"expert"}, {"total loss"}, {"rounds on the best path"}};
  const std::size_t methods = std::min(run.methods.size(), kMostMethods);
  for (std::size_t m = 0; m < methods; ++m) {
    table.head.push_back({"weight by " + run.methods[m].name});
  }
  for (const std::size_t k : shown) {
    double on_path = 0;
    for (const auto& stay : run.path) {
      if (stay.expert == k) on_path += stay.rounds;
    }
    auto& row = table.rows.emplace_back();
    row.push_back({run.experts[k]});
    row.push_back(number(run.expert_losses[k], "{:.3f}"));
    if (!std::isfinite(run.expert_losses[k])) row.back().text = "slept";
    row.push_back(number(on_path, "{:.0f}"));
    for (std::size_t m = 0; m < methods; ++m) {
      row.push_back(number(run.methods[m].mean_weights[k], "{:.4f}"));
    }
  }
  return table;
}

}  // namespace

Section depth_section(const std::vector<RunDepth>& runs) {
  Section section{"depth", "One run in depth", {}};
  if (runs.size() == 1) {
    section.blocks = blocks_of(runs.front(), 0);
    section.blocks.emplace_back(experts_table(runs.front()));
    return section;
  }
  Choice choice{"depth-run", "Run", {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    choice.options.push_back({runs[i].title, blocks_of(runs[i], i)});
  }
  section.blocks.emplace_back(std::move(choice));
  return section;
}

}  // namespace pcgs::report
