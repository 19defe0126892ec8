// One run in depth: regret, weights below the oracle's path, controls, certificates, over time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "show/depth.h"
#include "show/sections.h"

namespace pcgs::report {

namespace {

constexpr std::size_t kColoredExperts = 9;  // as web/theme.js has colours

// The indices of the highest, so many at most, from the highest on; of equal ones in their order.
std::vector<std::size_t> highest(const std::vector<double>& scores, std::size_t most) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return scores[k]; });
  order.resize(std::min(order.size(), most));
  return order;
}

// The experts that get a colour: those with the most weight, and those on the oracle's path.
struct Colored {
  explicit Colored(const RunDepth& run) {
    std::vector<double> score(run.experts.size());
    for (const auto& method : run.methods) {
      for (const auto& row : method.weights) {
        for (std::size_t k = 0; k < row.size(); ++k) {
          score[k] += row[k] / static_cast<double>(method.weights.size() * run.methods.size());
        }
      }
    }
    for (const auto& stay : run.path) {
      score[stay.expert] += (stay.to - stay.from + 1) / (run.range.last - run.range.first + 1);
    }
    leaders = highest(score, kColoredExperts);
    for (const std::size_t k : leaders) names.push_back(run.experts[k]);
    const std::size_t others = run.experts.size() - leaders.size();
    std::string rest = others == 1 ? "1 other" : fmt::format("{} others", others);
    // An expert may have that name.
    while (std::ranges::find(names, rest) != names.end()) rest += " ";
    series.assign(run.experts.size(), rest);
    for (const std::size_t k : leaders) series[k] = run.experts[k];
    if (others > 0) names.push_back(std::move(rest));
  }
  std::vector<std::size_t> leaders;
  std::vector<std::string> names;   // of the leaders, and one for all others if there are any
  std::vector<std::string> series;  // [K] the one of these that an expert belongs to
};

// "the best path of experts with at most 12 switches"
std::string path_name(const RunDepth& run) {
  return fmt::format("the best path of experts with at most {} switch{}", run.switches,
                     run.switches == 1 ? "" : "es");
}

// A run of a page, the i-th, and one of its methods.
struct Played {
  const RunDepth& run;
  std::size_t index;
  const MethodDepth& method;
  std::string id;  // of the method

  // A chart of the rounds that the reader chose.
  Chart chart(const char* uses, const char* what) const {
    Chart chart = over_time(uses, fmt::format("{}-{}", id, what), run.range);
    chart.window = fmt::format("time-{}", index + 1);
    return chart;
  }
};

Chart regret_chart(const RunDepth& run, std::size_t index) {
  Chart chart = over_time("lines", fmt::format("regret-{}", index + 1), run.range);
  chart.window = fmt::format("time-{}", index + 1);
  chart.title = "Regret so far";
  chart.note = fmt::format(
      "What each method has lost beyond {}. Flat: as good as that path; rising after a switch: the "
      "price of finding the new best expert.",
      path_name(run));
  chart.height = 300;
  chart.values.update({{"axis", "loss beyond the path"}, {"palette", "methods"}});
  std::vector<const MethodDepth*> methods;
  for (const auto& method : run.methods) {
    chart.add_line(method.name, method.regret);
    methods.push_back(&method);
  }
  std::ranges::stable_sort(methods, {}, &MethodDepth::total_loss);
  chart.alternative = "Loss beyond " + path_name(run) + ", after the last round:";
  for (const auto* method : methods) {
    chart.alternative +=
        fmt::format("{} {} {:.2f}", method == methods.front() ? "" : ",", method->name,
                    method->regret.y.empty() ? 0 : method->regret.y.back());
  }
  chart.alternative += ".";
  return chart;
}

// The oracle's path, in the colours of its experts.
ordered_json path_group(const RunDepth& run, const Colored& colored) {
  std::vector<double> from, end;
  std::vector<std::string> series, expert, since;
  for (std::size_t i = 0; i < run.path.size(); ++i) {
    from.push_back(run.path[i].from);
    end.push_back(i + 1 < run.path.size() ? run.path[i + 1].from : run.range.last);
    since.push_back(place_text(run.range.calendar, from.back()));
    series.push_back(colored.series[run.path[i].expert]);
    expert.push_back(run.experts[run.path[i].expert]);
  }
  return {{"round", drawn(from)},
          {"end", drawn(end)},
          {"series", series},
          {"expert", expert},
          {"from", since}};
}

Chart weights_chart(const Played& played, const Colored& colored) {
  const auto& [run, index, method, id] = played;
  Chart chart = played.chart("weights", "weights");
  chart.title = "Weights of " + method.name;
  chart.note = "The share that each expert has, one above the other";
  const auto& mean = method.mean_weights;
  const auto most = std::max_element(mean.begin(), mean.end());
  chart.alternative =
      fmt::format("Weights of {} over time. {} has the most, {:.0f} % on average.", method.name,
                  run.experts[static_cast<std::size_t>(most - mean.begin())], 100 * *most);
  if (!run.path.empty()) {
    chart.note += "; the ribbon on top is " + path_name(run);
    chart.alternative += fmt::format(" Above them {}, which changes {} time{}.", path_name(run),
                                     run.path.size() - 1, run.path.size() == 2 ? "" : "s");
  }
  chart.note += ".";
  chart.height = 280;
  // The share of each coloured expert, and of all others together.
  std::vector<double> rest(method.weights.size(), 1.0);
  for (std::size_t i = 0; i < colored.names.size(); ++i) {
    std::vector<double> weights = rest;
    for (std::size_t t = 0; t < weights.size() && i < colored.leaders.size(); ++t) {
      weights[t] = method.weights[t][colored.leaders[i]];
      rest[t] = std::max(rest[t] - weights[t], 0.0);
    }
    chart.add_line(colored.names[i], {method.weight_rounds, weights}, {{"rank", i}});
  }
  chart.datasets = {{"path", ordered_json::array({path_group(run, colored)})}};
  chart.values.update({{"top", run.path.empty() ? 1 : 1.12}, {"palette", "experts"}});
  return chart;
}

Chart certificate_chart(const Played& played) {
  const auto& [run, index, method, id] = played;
  Chart chart = played.chart("lines", "certificate");
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
  chart.add_line("proved at most", method.bound);
  chart.add_line("what happened", method.certified_regret);
  chart.values.update({{"axis", method.weighted ? "regret, weighted by eta" : "regret"},
                       {"palette", "certificate"}});
  return chart;
}

// One of the controls of a method of the share form.
struct Control {
  Points MethodDepth::*points;
  const char *id, *axis;
  const char* title;  // {}: the method
  const char* note;   // {}: how many experts there are
  bool spans = true;  // logarithmic where it spans orders of magnitude
};
constexpr Control kEta = {
    &MethodDepth::eta, "eta", "eta", "Learning rate eta of {}",
    "How strongly a loss moves the weights. Vertical lines: the best path switches."};
constexpr Control kRho = {
    &MethodDepth::rho, "rho", "rho", "Restart intensity rho of {}",
    "How much of the weights is dealt out anew after each round. Vertical lines: the best path "
    "switches."};
constexpr Control kMass = {&MethodDepth::q_on_next, "q", "q on the next expert",
                           "Restart mass of {} on the expert that the best path plays next",
                           "Uniform restarts put 1/{} there."};
constexpr Control kEntropy = {
    &MethodDepth::q_entropy,
    "entropy",
    "entropy in nats",
    "Entropy of q of {}",
    "Low: restarts go to few experts. Uniform restarts have the logarithm of the number of "
    "experts.",
    false};

bool is_constant(const Points& points) {
  const auto [low, high] = std::minmax_element(points.y.begin(), points.y.end());
  return low == points.y.end() || *high - *low <= 1e-12 * std::abs(*high);
}

// Restarts span many orders of magnitude.
const char* axis_for(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return low != values.end() && *low > 0 && *high > 20 * *low ? "log" : "linear";
}

// It over time, with the oracle's switches marked; a sentence where it never moves.
Block control_block(const Played& played, const Control& control) {
  const Points& points = played.method.*control.points;
  const std::string title = fmt::format(fmt::runtime(control.title), played.method.name);
  if (!points.y.empty() && is_constant(points)) {
    return Paragraph{fmt::format("{}: {:.6g} in every round.", title, points.y.front())};
  }
  Chart chart = played.chart("control", control.id);
  chart.title = title;
  chart.note = fmt::format(fmt::runtime(control.note), played.run.experts.size());
  chart.alternative = title;
  if (!points.y.empty()) {
    const auto [low, high] = std::minmax_element(points.y.begin(), points.y.end());
    chart.alternative += fmt::format(" over time, between {:.3g} and {:.3g}.", *low, *high);
  }
  chart.height = 150;
  chart.values.update(
      {{"axis", control.axis}, {"y", control.spans ? axis_for(points.y) : "linear"}});
  chart.groups.push_back({{"round", drawn(points.x)}, {"value", drawn(points.y)}});
  std::vector<double> switches;
  for (std::size_t i = 1; i < played.run.path.size(); ++i) {
    switches.push_back(played.run.path[i].from);
  }
  const ordered_json marked = {{"round", drawn(switches)}};
  chart.datasets = {{"switches", ordered_json::array({marked})}};
  return chart;
}

Played played(const RunDepth& run, std::size_t index, std::size_t method, const char* what) {
  return {run, index, run.methods[method], fmt::format("{}-{}-{}", what, index + 1, method + 1)};
}

std::vector<Block> blocks_of(const RunDepth& run, std::size_t index) {
  std::vector<Block> blocks;
  if (std::ranges::any_of(run.methods, [](auto& method) { return !method.regret.y.empty(); })) {
    const Chart regret = regret_chart(run, index);
    blocks.emplace_back(time_window(regret, "run"));
    blocks.emplace_back(regret);
  }
  const Colored colored(run);
  Choice choice{fmt::format("method-{}", index + 1), "Method", {}};
  for (std::size_t m = 0; m < run.methods.size(); ++m) {
    const Played one = played(run, index, m, "depth");
    auto& shown = choice.options.emplace_back(Choice::Option{one.method.name, {}}).blocks;
    shown.emplace_back(weights_chart(one, colored));
    if (!one.method.eta.y.empty()) {
      shown.push_back(control_block(one, kEta));
      shown.push_back(control_block(one, kRho));
    }
    if (!one.method.bound.y.empty()) shown.emplace_back(certificate_chart(one));
  }
  blocks.emplace_back(std::move(choice));
  return blocks;
}

Table experts_table(const RunDepth& run) {
  constexpr std::size_t kMostExperts = 25, kMostMethods = 5;
  Table table;
  table.id = "experts-of-run";
  table.caption = fmt::format(
      "The experts: total loss, rounds on {}, and the mean weight that methods gave them",
      path_name(run));
  std::vector<double> weights(run.experts.size());  // those of a few experts are not needed
  if (weights.size() > kMostExperts) {
    weights = run.methods.front().mean_weights;
    table.caption += fmt::format("; the {} of {} to whom {} gave most", kMostExperts,
                                 run.experts.size(), run.methods.front().name);
  }
  table.head = {{"expert"}, {"total loss"}, {"rounds on the best path"}};
  const std::size_t methods = std::min(run.methods.size(), kMostMethods);
  for (std::size_t m = 0; m < methods; ++m) {
    table.head.push_back({"weight by " + run.methods[m].name});
  }
  for (const std::size_t k : highest(weights, kMostExperts)) {
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

Chart scatter_chart(const Played& played) {
  const MethodDepth& method = played.method;
  Chart chart{.id = played.id + "-volatility",
              .title = "Restarts and volatility of " + method.name,
              .note =
                  "One point for each stretch of the run, its strongest restart: rho against the "
                  "standard deviation of the last ten losses.",
              .alternative = fmt::format("{} points of volatility and rho of {}.",
                                         method.scatter_rho.size(), method.name),
              .uses = "scatter",
              .values = {{"y", axis_for(method.scatter_rho)}}};
  chart.groups.push_back(
      {{"volatility", drawn(method.scatter_volatility)}, {"rho", drawn(method.scatter_rho)}});
  return chart;
}

std::vector<Block> restart_blocks(const Played& played) {
  std::vector<Block> blocks = {control_block(played, kRho)};
  if (!played.method.q_on_next.y.empty()) blocks.push_back(control_block(played, kMass));
  blocks.push_back(control_block(played, kEntropy));
  if (!is_constant(played.method.rho) && !played.method.scatter_rho.empty()) {
    blocks.emplace_back(scatter_chart(played));
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
               restart_blocks(played(*runs[i], i, m, "restarts"))});
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
