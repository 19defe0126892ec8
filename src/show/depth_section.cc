// One run in depth: regret, weights below the oracle's path, controls, certificates, over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "show/sections.h"
#include "show/time_charts.h"

namespace pcgs::report {

namespace {

constexpr std::size_t kColoredExperts = 9;  // as web/theme.js has colours

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
    if (others == 0) return;
    std::string rest = others == 1 ? "1 other" : fmt::format("{} others", others);
    // An expert may have that name.
    while (std::find(names.begin(), names.end(), rest) != names.end()) rest += " ";
    names.push_back(rest);
  }
  const std::string& name(std::size_t expert) const {
    const auto at = std::find(leaders.begin(), leaders.end(), expert);
    return at == leaders.end() ? names.back()
                               : names[static_cast<std::size_t>(at - leaders.begin())];
  }
  std::vector<std::size_t> leaders;
  std::vector<std::string> names;  // of the leaders, and one for all others if there are any
};

std::vector<std::string> method_names(const RunDepth& run) {
  std::vector<std::string> names;
  for (const auto& method : run.methods) names.push_back(method.name);
  return names;
}

ordered_json regret_groups(const RunDepth& run) {
  ordered_json groups = ordered_json::array();
  for (const auto& method : run.methods) {
    groups.push_back(curve(method.regret, {{"series", method.name}}));
  }
  return groups;
}

std::string regret_sentence(const RunDepth& run) {
  std::vector<const MethodDepth*> methods;
  for (const auto& method : run.methods) methods.push_back(&method);
  std::stable_sort(methods.begin(), methods.end(),
                   [](const auto* a, const auto* b) { return a->total_loss < b->total_loss; });
  std::string out = "Loss beyond " + path_name(run) + ", after the last round:";
  for (const auto* method : methods) {
    out += fmt::format("{} {} {:.2f}", method == methods.front() ? "" : ",", method->name,
                       method->regret.y.empty() ? 0 : method->regret.y.back());
  }
  return out + ".";
}

Chart regret_chart(const RunDepth& run, std::size_t index) {
  Chart chart =
      over_time("lines", fmt::format("regret-{}", index + 1), window_of(index), run.range());
  chart.title = "Regret so far";
  chart.note = fmt::format(
      "What each method has lost beyond {}. Flat: as good as that path; rising after a switch: the "
      "price of finding the new best expert.",
      path_name(run));
  chart.alternative = regret_sentence(run);
  chart.height = 300;
  chart.groups = regret_groups(run);
  chart.values.update(
      {{"axis", "loss beyond the path"}, {"series", method_names(run)}, {"palette", "methods"}});
  return chart;
}

// The share of each coloured expert, and of all others together.
ordered_json weight_groups(const MethodDepth& method, const Colored& colored) {
  ordered_json groups = ordered_json::array();
  std::vector<double> rest(method.weights.size(), 1.0);
  for (std::size_t i = 0; i < colored.names.size(); ++i) {
    std::vector<double> weights;
    for (std::size_t t = 0; t < method.weights.size() && i < colored.leaders.size(); ++t) {
      weights.push_back(method.weights[t][colored.leaders[i]]);
      rest[t] = std::max(rest[t] - weights.back(), 0.0);
    }
    groups.push_back(curve({method.weight_rounds, i < colored.leaders.size() ? weights : rest},
                           {{"series", colored.names[i]}, {"rank", i}}));
  }
  return groups;
}

ordered_json path_group(const RunDepth& run, const Colored& colored) {
  std::vector<double> from, end;
  std::vector<std::string> series, expert, since;
  for (std::size_t i = 0; i < run.path.size(); ++i) {
    from.push_back(run.path[i].from);
    end.push_back(i + 1 < run.path.size() ? run.path[i + 1].from : run.last);
    since.push_back(place_text(run.calendar, from.back()));
    series.push_back(colored.name(run.path[i].expert));
    expert.push_back(run.experts[run.path[i].expert]);
  }
  return {{"round", drawn(from)},
          {"end", drawn(end)},
          {"series", series},
          {"expert", expert},
          {"from", since}};
}

Chart weights_chart(const RunDepth& run, const MethodDepth& method, const Colored& colored,
                    const std::string& id, std::size_t index) {
  Chart chart = over_time("weights", id + "-weights", window_of(index), run.range());
  chart.title = "Weights of " + method.name;
  chart.note = "The share that each expert has, one above the other";
  const auto most = static_cast<std::size_t>(
      std::max_element(method.mean_weights.begin(), method.mean_weights.end()) -
      method.mean_weights.begin());
  chart.alternative = fmt::format("Weights of {} over time. {} has the most, {:.0f} % on average.",
                                  method.name, run.experts[most], 100 * method.mean_weights[most]);
  if (!run.path.empty()) {
    chart.note += "; the ribbon on top is " + path_name(run);
    chart.alternative += fmt::format(" Above them {}, which changes {} time{}.", path_name(run),
                                     run.path.size() - 1, run.path.size() == 2 ? "" : "s");
  }
  chart.note += ".";
  chart.height = 280;
  chart.groups = weight_groups(method, colored);
  chart.datasets = {{"path", ordered_json::array({path_group(run, colored)})}};
  chart.values.update(
      {{"top", run.path.empty() ? 1 : 1.12}, {"series", colored.names}, {"palette", "experts"}});
  return chart;
}

Chart certificate_chart(const RunDepth& run, const MethodDepth& method, std::size_t index,
                        const std::string& id) {
  const std::vector<std::string> lines = {"proved at most", "what happened"};
  Chart chart = over_time("lines", id + "-certificate", window_of(index), run.range());
  chart.title = "Certificate of " + method.name;
  chart.note = fmt::format(
      "Regret to {}, after each round: proved to be at most the upper line, whatever the losses; "
      "the lower line is what happened.{}",
      method.certified_switches ? path_name(run)
                                : "the path of experts for which the proof says most",
      method.weighted ? " Every loss is weighted by its round's eta, which changed." : "");
  chart.alternative =
      fmt::format("After the last round at most {:.2f} is proved and {:.2f} happened.",
                  method.bound.y.back(), method.certified_regret.y.back());
  chart.height = 200;
  chart.groups = {curve(method.bound, {{"series", lines[0]}}),
                  curve(method.certified_regret, {{"series", lines[1]}})};
  chart.values.update({{"axis", method.weighted ? "regret, weighted by eta" : "regret"},
                       {"series", lines},
                       {"palette", "certificate"}});
  return chart;
}

std::vector<Block> blocks_of(const RunDepth& run, std::size_t index) {
  std::vector<Block> blocks;
  if (std::any_of(run.methods.begin(), run.methods.end(),
                  [](const auto& method) { return !method.regret.y.empty(); })) {
    Window window = time_window(window_of(index), run.range(), "run", regret_groups(run),
                                method_names(run), "methods");
    window.overview.alternative = regret_sentence(run);
    blocks.emplace_back(std::move(window));
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
      option.blocks.push_back(control_block(run, method, index, id, eta_control()));
      option.blocks.push_back(control_block(run, method, index, id, rho_control()));
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
    for (const auto& stay : run.path) on_path += stay.expert == k ? stay.rounds : 0;
    auto& row = table.rows.emplace_back();
    row.push_back({run.experts[k]});
    row.push_back(std::isfinite(run.expert_losses[k]) ? number(run.expert_losses[k], "{:.3f}")
                                                      : Cell{"slept"});
    row.push_back(number(on_path, "{:.0f}"));
    for (std::size_t m = 0; m < methods; ++m) {
      row.push_back(number(run.methods[m].mean_weights[k], "{:.4f}"));
    }
  }
  return table;
}

}  // namespace

Section depth_section(const std::vector<const RunDepth*>& runs) {
  Section section{"depth", "One run in depth", {}};
  if (runs.size() == 1) {
    section.blocks = blocks_of(*runs.front(), 0);
    section.blocks.emplace_back(experts_table(*runs.front()));
    return section;
  }
  Choice choice{"depth-run", "Run", {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    choice.options.push_back({runs[i]->title, blocks_of(*runs[i], i)});
  }
  section.blocks.emplace_back(std::move(choice));
  return section;
}

// When and where a method of the share form restarts, round by round.

namespace {

Control mass_control(const RunDepth& run) {
  return {&MethodDepth::q_on_next, "q",
          "Restart mass of {} on the expert that the best path plays next", "q on the next expert",
          fmt::format("Uniform restarts put 1/{} there.", run.experts.size())};
}

Control entropy_control() {
  return {&MethodDepth::q_entropy,
          "entropy",
          "Entropy of q of {}",
          "entropy in nats",
          "Low: restarts go to few experts. Uniform restarts have the logarithm of the number of "
          "experts.",
          false};
}

Chart scatter_chart(const MethodDepth& method, const std::string& id) {
  Chart chart;
  chart.uses = "scatter";
  chart.id = id + "-volatility";
  chart.title = "Restarts and volatility of " + method.name;
  chart.note =
      "One point for each stretch of the run, its strongest restart: rho against the standard "
      "deviation of the last ten losses.";
  chart.alternative =
      fmt::format("{} points of volatility and rho of {}.", method.scatter_rho.size(), method.name);
  chart.values = {{"y", axis_for(method.scatter_rho)}};
  chart.groups.push_back(
      {{"volatility", drawn(method.scatter_volatility)}, {"rho", drawn(method.scatter_rho)}});
  return chart;
}

std::vector<Block> blocks_of(const RunDepth& run, const MethodDepth& method, std::size_t index,
                             const std::string& id) {
  std::vector<Block> blocks = {control_block(run, method, index, id, rho_control())};
  if (!method.q_on_next.y.empty()) {
    blocks.push_back(control_block(run, method, index, id, mass_control(run)));
  }
  blocks.push_back(control_block(run, method, index, id, entropy_control()));
  if (!is_constant(method.rho) && !method.scatter_rho.empty()) {
    blocks.emplace_back(scatter_chart(method, id));
  }
  return blocks;
}

}  // namespace

std::optional<Section> restarts_section(const std::vector<const RunDepth*>& runs) {
  Choice choice{"restarts-of", runs.size() == 1 ? "Method" : "Run and method", {}};
  std::size_t varying = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t m = 0; m < runs[i]->methods.size(); ++m) {
      const MethodDepth& method = runs[i]->methods[m];
      if (method.rho.y.empty()) continue;
      // Those that have something to show come first.
      const auto at = is_constant(method.rho)
                          ? choice.options.end()
                          : choice.options.begin() + static_cast<std::ptrdiff_t>(varying++);
      choice.options.insert(
          at, {runs.size() == 1 ? method.name : fmt::format("{}: {}", runs[i]->title, method.name),
               blocks_of(*runs[i], method, i, option_id("restarts", i, m))});
    }
  }
  if (choice.options.empty()) return std::nullopt;
  Section section{"restarts", "Mechanism: when and where it restarts", {}};
  section.blocks.emplace_back(
      Paragraph{"A method of the share form deals a part rho of the weights out anew after each "
                "round, following a distribution q. A good one restarts when the best expert "
                "changes, towards the expert that is best next."});
  section.blocks.emplace_back(std::move(choice));
  return section;
}

}  // namespace pcgs::report
