// The main study on a page: all families, all methods, sequence by sequence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "research/study.h"
#include "show/curves.h"

namespace pcgs::studies {

using report::Block;
using report::Chart;
using report::drawn;
using report::ordered_json;
using report::Paragraph;
using results::find_method;
using results::find_pair;
using results::MethodRegret;
using results::Part;
using show::number;
using show::Table;

namespace {

std::vector<std::string> families_of(const StudyResult& study) {
  std::vector<std::string> names;
  for (const Part& family : study.parts) names.push_back(family.family);
  return names;
}

// Chosen in hindsight, or knowing the law: not among those who can win.
bool playable(const std::string& method) {
  return is_playable(method) && method != suite::kLimitName;
}

// The one with the lowest mean among those that can be played; null if there is none.
const MethodRegret* winner(const Part& family) {
  const MethodRegret* best = nullptr;
  for (const auto& method : family.methods) {
    if (playable(method.name) && (best == nullptr || method.mean < best->mean)) best = &method;
  }
  return best;
}

Chart means_chart(const StudyResult& study) {
  Chart chart;
  chart.id = "means-chart";
  chart.title = "Regret by family";
  chart.note =
      "Dynamic regret, mean and standard deviation over the sequences; further left is better. "
      "Starred methods are tuned in hindsight, and bayes knows the law that made the losses.";
  std::vector<std::string> best_of_each;
  for (const auto& family : study.parts) {
    const auto* best = winner(family);
    if (best == nullptr) continue;
    best_of_each.push_back(fmt::format("{}: {} {:.1f}", family.family, best->name, best->mean));
  }
  chart.alternative = fmt::format("Lowest mean regret of a method that can be played: {}.",
                                  fmt::join(best_of_each, "; "));
  add_dots(study, "methods", chart);
  chart.height = static_cast<int>(20 + 15 * method_names(study.parts).size());
  return chart;
}

// How much less a method lost than another one, for each sequence.
Chart paired_chart(const StudyResult& study, const std::string& ours, const std::string& opponent,
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
  for (const auto& family : study.parts) {
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
        {{"family", family.family}, {"value", drawn(difference)}, {"sequence", drawn(sequence)}});
    if (const auto* pair = find_pair(family.comparisons, ours, opponent)) {
      names.push_back(family.family);
      low.push_back(pair->paired.ci_low);
      high.push_back(pair->paired.ci_high);
      mean.push_back(pair->paired.mean_improvement);
    }
  }
  const ordered_json intervals = {
      {"family", names}, {"low", drawn(low)}, {"high", drawn(high)}, {"mean", drawn(mean)}};
  chart.datasets = {{"intervals", ordered_json::array({intervals})}};
  chart.values = {{"families", families_of(study)}};
  chart.alternative =
      fmt::format("{} has the lower regret on {} of {} sequences.", ours, wins, all);
  chart.height = static_cast<int>(60 + 34 * study.parts.size());
  return chart;
}

// What the paper compares with, and the method to beat.
bool is_baseline(const std::string& name) {
  return name == "genshare" || name == "fixed-share" || name == kTunedFixedShare;
}

std::optional<Block> paired_choice(const StudyResult& study) {
  auto opponents = method_names(study.parts);
  std::erase(opponents, study.config.featured);
  // The strongest comparison first.
  std::stable_partition(opponents.begin(), opponents.end(),
                        [](const auto& name) { return name == kTunedFixedShare; });
  report::Choice choice{"paired", "Compared with", {}};
  for (const auto& ours : compared_methods(study.config)) {
    const bool featured = ours == study.config.featured;
    for (const auto& opponent : opponents) {
      // The paper's method, with those of the paper and the tuned one.
      if (!featured && !is_baseline(opponent)) continue;
      choice.options.push_back({featured ? opponent : fmt::format("{} with {}", ours, opponent),
                                {paired_chart(study, ours, opponent, choice.options.size())}});
    }
  }
  if (choice.options.empty()) return std::nullopt;
  return choice;
}

// The paper's Table 2: won sequences, tests and effect sizes.
Table tests_table(const StudyResult& study, const std::string& ours) {
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
  for (const auto& family : study.parts) {
    for (const auto& pair : family.comparisons) {
      if (pair.a != ours || !is_baseline(pair.b)) continue;
      const auto& paired = pair.paired;
      table.rows.push_back({{fmt::format("{}: {}", family.family, pair.b)},
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

// What value(family, method) says of each method but these; nothing where a family lacks the method.
template <class ValueOf>
HeatMap percentages(const StudyResult& study, std::initializer_list<const char*> all_but,
                    const ValueOf& value) {
  HeatMap map{method_names(study.parts), families_of(study), {}};
  for (const char* left_out : all_but) std::erase(map.rows, left_out);
  for (const auto& name : map.rows) {
    for (const auto& family : study.parts) {
      const auto* method = find_method(family.methods, name);
      const std::optional<double> x =
          method != nullptr ? value(family, *method) : std::optional<double>();
      map.cells.push_back(x ? HeatMap::Cell{*x, fmt::format("{:.0f}%", 100 * *x), ""}
                            : HeatMap::Cell{std::nan(""), "", ""});
    }
  }
  return map;
}

std::optional<Chart> wins_chart(const StudyResult& study) {
  const HeatMap map =
      percentages(study, {kTunedFixedShare}, [](const Part& family, const MethodRegret& method) {
        const auto* pair = find_pair(family.comparisons, method.name, kTunedFixedShare);
        return pair != nullptr ? std::optional(pair->paired.win_rate) : std::nullopt;
      });
  if (find_method(study.parts.front().methods, kTunedFixedShare) == nullptr || map.rows.empty()) {
    return std::nullopt;
  }
  Chart chart = heat_map(map, 0, 1);
  chart.values["axis"] = "sequences won";
  chart.id = "wins";
  chart.title = fmt::format("How often each method beats {}", kTunedFixedShare);
  chart.note = fmt::format(
      "Share of sequences with less regret than {}, whose rates are tuned in hindsight for each "
      "family.",
      kTunedFixedShare);
  std::vector<std::string> means;
  for (std::size_t m = 0; m < map.rows.size(); ++m) {
    double sum = 0, count = 0;
    for (std::size_t f = 0; f < map.columns.size(); ++f) {
      const double x = map.at(m, f).value;
      if (std::isnan(x)) continue;
      sum += x;
      ++count;
    }
    if (count > 0) means.push_back(fmt::format(" {} {:.0f} %", map.rows[m], 100 * sum / count));
  }
  chart.alternative = fmt::format("Win rates against {}:{}, averaged over the families.",
                                  kTunedFixedShare, fmt::join(means, ","));
  return chart;
}

std::optional<Chart> closed_chart(const StudyResult& study) {
  const HeatMap map =
      percentages(study, {kTunedFixedShare, suite::kLimitName},
                  [](const Part&, const MethodRegret& method) { return method.share_closed; });
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
      kTunedFixedShare, kTunedFixedShare);
  chart.alternative = "How far each method gets from tuned Fixed Share to the limit.";
  const auto at = std::find(map.rows.begin(), map.rows.end(), study.config.featured);
  if (at == map.rows.end()) return chart;
  std::vector<std::string> closed;
  for (std::size_t f = 0; f < map.columns.size(); ++f) {
    const double x = map.at(static_cast<std::size_t>(at - map.rows.begin()), f).value;
    if (!std::isnan(x)) closed.push_back(fmt::format(" {:.0f} % on {}", 100 * x, map.columns[f]));
  }
  chart.alternative = fmt::format("{} closes{}.", *at, fmt::join(closed, ","));
  return chart;
}

std::vector<Block> main_summary(const StudyResult& study) {
  const std::string& ours = study.config.featured;
  std::size_t first = 0, won = 0, played = 0;
  std::vector<std::string> intervals;  // of the improvement over the tuned method
  double worst_p = 0;
  report::Figures figures;
  for (const auto& family : study.parts) {
    const auto* best = winner(family);
    if (best != nullptr && best->name == ours) ++first;
    const auto* mine = find_method(family.methods, ours);
    if (mine == nullptr) continue;
    figures.all.push_back(
        {number(mine->mean, "{:.1f}"), fmt::format("regret of {} on {}", ours, family.family)});
    const auto* pair = find_pair(family.comparisons, ours, kTunedFixedShare);
    const auto* theirs = find_method(family.methods, kTunedFixedShare);
    if (pair == nullptr || theirs == nullptr) continue;
    for (std::size_t i = 0; i < mine->regret.size(); ++i) {
      if (mine->regret[i] < theirs->regret[i]) ++won;
      ++played;
    }
    const double better = pair->paired.mean_improvement;
    intervals.push_back(fmt::format(
        " {} {:+.1f} [{:+.1f}, {:+.1f}]{}", family.family, better, pair->paired.ci_low,
        pair->paired.ci_high,
        theirs->mean > 0 ? fmt::format(" ({:+.0f} %)", 100 * better / theirs->mean) : ""));
    worst_p = std::max(worst_p, pair->wilcoxon_p_holm.value_or(1));
  }
  std::string lead = fmt::format(
      "{} has the lowest mean dynamic regret of all methods that can be played in {} of {} famil{}",
      ours, first, study.parts.size(), study.parts.size() == 1 ? "y" : "ies");
  if (played > 0) {
    lead += fmt::format(
        ", and less regret than {}, tuned in hindsight for each family, on {} of {} sequences",
        kTunedFixedShare, won, played);
  }
  std::vector<Block> blocks;
  blocks.emplace_back(Paragraph{lead + ".", true});
  blocks.emplace_back(std::move(figures));
  if (!intervals.empty()) {
    blocks.emplace_back(Paragraph{
        fmt::format("Mean improvement over {} with its 95 % interval:{}. The largest p of "
                    "Wilcoxon's test, corrected for the number of families, is {:.2g}.",
                    kTunedFixedShare, fmt::join(intervals, ";"), worst_p)});
  }
  blocks.emplace_back(Paragraph{
      fmt::format("Regret is the loss beyond the exact best sequence of experts in hindsight ({}).",
                  setting(study.config))});
  return blocks;
}

}  // namespace

void show_main(const StudyResult& study, report::PageParts& page) {
  page.add(main_summary(study));
  report::Section section{"main", "Main study", {}};
  section.blocks.emplace_back(means_chart(study));
  Table means = means_table(study);
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
  page.add(std::move(section));
}

}  // namespace pcgs::studies
