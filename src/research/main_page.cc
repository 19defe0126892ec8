// The main study: all families, all methods, sequence by sequence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "research/study_page.h"
#include "show/curves.h"

namespace pcgs::report {

namespace {

using results::find_method;
using results::find_pair;
using results::MainStudy;
using results::MethodRegret;

// The one with the lowest mean among those that can be played; null if there is none.
const MethodRegret* winner(const MainStudy::Family& family) {
  const MethodRegret* best = nullptr;
  for (const auto& method : family.methods) {
    if (playable(method.name) && (best == nullptr || method.mean < best->mean)) best = &method;
  }
  return best;
}

Chart means_chart(const MainStudy& study) {
  Chart chart;
  chart.id = "means-chart";
  chart.title = "Regret by family";
  chart.note =
      "Dynamic regret, mean and standard deviation over the sequences; further left is better. "
      "Starred methods are tuned in hindsight, and bayes knows the law that made the losses.";
  std::string best_of_each;
  for (const auto& family : study.families) {
    if (const auto* best = winner(family)) {
      best_of_each += fmt::format("{}{}: {} {:.1f}", best_of_each.empty() ? "" : "; ", family.name,
                                  best->name, best->mean);
    }
  }
  chart.alternative = "Lowest mean regret of a method that can be played: " + best_of_each + ".";
  add_dots(study.families, "methods", chart);
  chart.height = static_cast<int>(20 + 15 * method_names(study.families).size());
  return chart;
}

// How much less a method lost than another one, for each sequence.
Chart paired_chart(const MainStudy& study, const std::string& ours, const std::string& opponent,
                   std::size_t index) {
  Chart chart;
  chart.uses = "differences";
  chart.id = fmt::format("paired-{}", index + 1);
  chart.title = fmt::format("{} against {}, sequence by sequence", ours, opponent);
  chart.note = fmt::format(
      "One dot for each sequence: regret of {} less that of {}. Right of zero {} is better; the "
      "bar is the 95 % interval of the mean.",
      opponent, ours, ours);
  std::size_t wins = 0, all = 0;
  std::vector<std::string> names;
  std::vector<double> low, high, mean;
  for (const auto& family : study.families) {
    const auto* a = find_method(family.methods, ours);
    const auto* b = find_method(family.methods, opponent);
    if (a == nullptr || b == nullptr) continue;
    std::vector<double> difference, sequence;
    for (std::size_t i = 0; i < a->regret.size(); ++i) {
      difference.push_back(b->regret[i] - a->regret[i]);
      sequence.push_back(static_cast<double>(i + 1));
      if (difference.back() > 0) ++wins;
      ++all;
    }
    chart.groups.push_back(
        {{"family", family.name}, {"value", drawn(difference)}, {"sequence", drawn(sequence)}});
    if (const auto* pair = find_pair(family.comparisons, ours, opponent)) {
      names.push_back(family.name);
      low.push_back(pair->paired.ci_low);
      high.push_back(pair->paired.ci_high);
      mean.push_back(pair->paired.mean_improvement);
    }
  }
  const ordered_json intervals = {
      {"family", names}, {"low", drawn(low)}, {"high", drawn(high)}, {"mean", drawn(mean)}};
  chart.datasets = {{"intervals", ordered_json::array({intervals})}};
  chart.values = {{"families", names_of(study.families)}};
  chart.alternative =
      fmt::format("{} has the lower regret on {} of {} sequences.", ours, wins, all);
  chart.height = static_cast<int>(60 + 34 * study.families.size());
  return chart;
}

// What the paper compares with, and the method to beat.
bool is_baseline(const std::string& name) {
  return name == "genshare" || name == "fixed-share" || name == kTuned;
}

std::optional<Block> paired_choice(const MainStudy& study) {
  auto opponents = method_names(study.families);
  std::erase(opponents, study.config.featured);
  // The strongest comparison first.
  std::stable_partition(opponents.begin(), opponents.end(),
                        [](const auto& name) { return name == kTuned; });
  if (opponents.empty()) return std::nullopt;
  Choice choice{"paired", "Compared with", {}};
  for (std::size_t i = 0; i < opponents.size(); ++i) {
    choice.options.push_back(
        {opponents[i], {paired_chart(study, study.config.featured, opponents[i], i)}});
  }
  // The paper's method, with those of the paper and the tuned one.
  for (const auto& ours : compared_methods(study.config)) {
    if (ours == study.config.featured) continue;
    for (const auto& opponent : opponents) {
      if (!is_baseline(opponent)) continue;
      choice.options.push_back({fmt::format("{} with {}", ours, opponent),
                                {paired_chart(study, ours, opponent, choice.options.size())}});
    }
  }
  return choice;
}

// The paper's Table 2: won sequences, tests and effect sizes.
Table tests_table(const MainStudy& study, const std::string& ours) {
  Table table;
  table.id = ours == study.config.featured ? "tests" : "tests-recipe";
  table.caption = fmt::format(
      "{} against others, paired by sequence: won, mean improvement with its 95 % interval, p of "
      "the "
      "t-test and of Wilcoxon's after Holm's correction over the families, Cohen's d",
      ours);
  table.head = {{"family and opponent"},
                {"won", "win_rate"},
                {"improvement", "mean_improvement"},
                {"from", "ci_low"},
                {"to", "ci_high"},
                {"t: p", "t_p_holm"},
                {"Wilcoxon: p", "wilcoxon_p_holm"},
                {"Cohen's d", "cohens_d"}};
  for (const auto& family : study.families) {
    for (const auto& pair : family.comparisons) {
      if (pair.a != ours || !is_baseline(pair.b)) continue;
      const auto& paired = pair.paired;
      table.rows.push_back({{fmt::format("{}: {}", family.name, pair.b)},
                            number(paired.win_rate, "{:.2f}"),
                            number(paired.mean_improvement, "{:+.2f}"),
                            number(paired.ci_low, "{:+.2f}"),
                            number(paired.ci_high, "{:+.2f}"),
                            number(pair.t_p_holm, "{:.0e}"),
                            number(pair.wilcoxon_p_holm, "{:.0e}"),
                            number(paired.cohens_d, "{:.1f}")});
    }
  }
  return table;
}

// value(family, method) for each but the tuned one, NaN where there is none.
template <class ValueOf>
HeatMap percentages(const MainStudy& study, std::vector<std::string> methods,
                    const ValueOf& value) {
  HeatMap map{std::move(methods), names_of(study.families), {}};
  for (const auto& method : map.rows) {
    for (const auto& family : study.families) {
      const double x = value(family, method);
      map.cells.push_back({x, std::isnan(x) ? "" : fmt::format("{:.0f}%", 100 * x), ""});
    }
  }
  return map;
}

std::optional<Chart> wins_chart(const MainStudy& study) {
  auto methods = method_names(study.families);
  std::erase(methods, kTuned);
  if (find_method(study.families.front().methods, kTuned) == nullptr || methods.empty()) {
    return std::nullopt;
  }
  const HeatMap map = percentages(study, methods, [](const auto& family, const auto& method) {
    const auto* pair = find_pair(family.comparisons, method, kTuned);
    return pair != nullptr ? pair->paired.win_rate : std::nan("");
  });
  Chart chart = heat_map(map, 0, 1);
  chart.values["axis"] = "sequences won";
  chart.id = "wins";
  chart.title = fmt::format("How often each method beats {}", kTuned);
  chart.note = fmt::format(
      "Share of sequences with less regret than {}, whose rates are tuned in hindsight for each "
      "family.",
      kTuned);
  std::string means;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    double sum = 0, count = 0;
    for (std::size_t f = 0; f < map.columns.size(); ++f) {
      const double x = map.at(m, f).value;
      if (std::isnan(x)) continue;
      sum += x;
      ++count;
    }
    if (count > 0) {
      means +=
          fmt::format("{} {} {:.0f} %", means.empty() ? "" : ",", methods[m], 100 * sum / count);
    }
  }
  chart.alternative =
      fmt::format("Win rates against {}:{}, averaged over the families.", kTuned, means);
  return chart;
}

std::optional<Chart> closed_chart(const MainStudy& study) {
  auto methods = method_names(study.families);
  std::erase(methods, kTuned);
  std::erase(methods, kLimit);
  const HeatMap map = percentages(study, methods, [](const auto& family, const auto& name) {
    const auto* method = find_method(family.methods, name);
    return method != nullptr ? method->share_closed.value_or(std::nan("")) : std::nan("");
  });
  if (std::all_of(map.cells.begin(), map.cells.end(),
                  [](const auto& cell) { return std::isnan(cell.value); })) {
    return std::nullopt;
  }
  Chart chart = heat_map(map, -1, 1);
  chart.values["axis"] = "distance closed";
  chart.id = "closed";
  chart.title = "Share of the distance to the limit that is closed";
  chart.note = fmt::format(
      "0 % is {}, tuned in hindsight; 100 % is the filter that knows the law of the losses, which "
      "nobody can beat on average. Negative: worse than {}. Empty where the limit is unknown.",
      kTuned, kTuned);
  const auto at = std::find(methods.begin(), methods.end(), study.config.featured);
  if (at == methods.end()) {
    chart.alternative = "How far each method gets from tuned Fixed Share to the limit.";
    return chart;
  }
  std::string closed;
  for (std::size_t f = 0; f < map.columns.size(); ++f) {
    const auto& cell = map.at(static_cast<std::size_t>(at - methods.begin()), f);
    if (std::isnan(cell.value)) continue;
    closed += fmt::format("{} {:.0f} % on {}", closed.empty() ? "" : ",", 100 * cell.value,
                          map.columns[f]);
  }
  chart.alternative = fmt::format("{} closes{}.", *at, closed);
  return chart;
}

// Against the tuned method, over all families.
struct AgainstTuned {
  std::size_t won = 0, played = 0;  // sequences
  std::string intervals;
  double worst_p = 0;
};

AgainstTuned against_tuned(const MainStudy& study) {
  AgainstTuned out;
  const std::string& ours = study.config.featured;
  for (const auto& family : study.families) {
    const auto* pair = find_pair(family.comparisons, ours, kTuned);
    const auto* mine = find_method(family.methods, ours);
    const auto* theirs = find_method(family.methods, kTuned);
    if (pair == nullptr || mine == nullptr || theirs == nullptr) continue;
    for (std::size_t i = 0; i < mine->regret.size(); ++i) {
      if (mine->regret[i] < theirs->regret[i]) ++out.won;
      ++out.played;
    }
    const double better = pair->paired.mean_improvement;
    out.intervals += fmt::format(
        "{} {} {:+.1f} [{:+.1f}, {:+.1f}]{}", out.intervals.empty() ? "" : ";", family.name, better,
        pair->paired.ci_low, pair->paired.ci_high,
        theirs->mean > 0 ? fmt::format(" ({:+.0f} %)", 100 * better / theirs->mean) : "");
    out.worst_p = std::max(out.worst_p, pair->wilcoxon_p_holm.value_or(1));
  }
  return out;
}

std::vector<Block> main_summary(const MainStudy& study) {
  const std::string& ours = study.config.featured;
  const auto first = std::count_if(study.families.begin(), study.families.end(), [&](auto& family) {
    const auto* best = winner(family);
    return best != nullptr && best->name == ours;
  });
  const AgainstTuned tuned = against_tuned(study);
  std::string lead = fmt::format(
      "{} has the lowest mean dynamic regret of all methods that can be played in {} of {} famil{}",
      ours, first, study.families.size(), study.families.size() == 1 ? "y" : "ies");
  if (tuned.played > 0) {
    lead += fmt::format(
        ", and less regret than {}, tuned in hindsight for each family, on {} of {} sequences",
        kTuned, tuned.won, tuned.played);
  }
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{lead + ".", true});
  Figures figures;
  for (const auto& family : study.families) {
    if (const auto* mine = find_method(family.methods, ours)) {
      figures.all.push_back(
          {number(mine->mean, "{:.1f}"), fmt::format("regret of {} on {}", ours, family.name)});
    }
  }
  blocks.emplace_back(std::move(figures));
  if (!tuned.intervals.empty()) {
    blocks.emplace_back(Paragraph{
        fmt::format("Mean improvement over {} with its 95 % interval:{}. The largest p of "
                    "Wilcoxon's test, corrected for the number of families, is {:.2g}.",
                    kTuned, tuned.intervals, tuned.worst_p)});
  }
  blocks.emplace_back(Paragraph{
      fmt::format("Regret is the loss beyond the exact best sequence of experts in hindsight ({}).",
                  setting(study.config))});
  return blocks;
}

Section main_section(const MainStudy& study) {
  Section section{"main", "Main study", {}};
  section.blocks.emplace_back(means_chart(study));
  Table means = means_table(study.families);
  means.id = "means";
  means.caption = "Dynamic regret, mean ± standard deviation; " + setting(study.config);
  for (std::size_t i = 0; i < means.rows.size(); ++i) {
    if (means.rows[i].front().text == study.config.featured) means.strong.push_back(i);
  }
  section.blocks.emplace_back(std::move(means));
  if (auto choice = paired_choice(study)) section.blocks.push_back(std::move(*choice));
  for (const auto& ours : compared_methods(study.config)) {
    if (Table tests = tests_table(study, ours); !tests.rows.empty()) {
      section.blocks.emplace_back(std::move(tests));
    }
  }
  if (auto chart = wins_chart(study)) section.blocks.emplace_back(std::move(*chart));
  if (auto chart = closed_chart(study)) section.blocks.emplace_back(std::move(*chart));
  return section;
}

}  // namespace

void show_main(const MainStudy& study, const Shown& shown, PageParts& page) {
  page.title = shown.result.kind().name;
  page.add(main_summary(study));
  page.add(main_section(study));
}

}  // namespace pcgs::report
