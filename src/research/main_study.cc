// The main study: all families, all methods, paired statistics.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "combine/hindsight_methods.h"
#include "research/paired.h"
#include "research/study.h"
#include "research/tournament.h"
#include "run/statistics.h"

namespace pcgs::studies {

namespace {

using Family = results::MainStudy::Family;
using results::MethodPair;

// Every two methods, either way round.
std::vector<MethodPair> all_pairs(const std::vector<results::MethodRegret>& methods) {
  const stats::Bootstrap bootstrap = bootstrap_for(methods.front().regret.size());
  std::vector<MethodPair> pairs;
  for (const auto& a : methods) {
    for (const auto& b : methods) {
      if (&a == &b) continue;
      pairs.push_back({a.name, b.name, stats::compare(a.regret, b.regret, bootstrap), {}, {}});
    }
  }
  return pairs;
}

// Each pair of methods is tested once for each family; Holm's correction is over those.
void correct_for_families(std::vector<Family>& families) {
  std::map<std::pair<std::string, std::string>, std::vector<MethodPair*>> same;
  for (auto& family : families) {
    for (auto& pair : family.comparisons) same[{pair.a, pair.b}].push_back(&pair);
  }
  for (auto& [names, pairs] : same) {
    std::vector<double> t, w;
    for (const auto* pair : pairs) {
      t.push_back(pair->paired.t_p);
      w.push_back(pair->paired.wilcoxon_p);
    }
    const auto t_adjusted = stats::holm(t), w_adjusted = stats::holm(w);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i]->t_p_holm = t_adjusted[i];
      pairs[i]->wilcoxon_p_holm = w_adjusted[i];
    }
  }
}

}  // namespace

results::MainStudy main_study(const StudyConfig& config, const io::Monitor& monitor) {
  const io::Advance advance = monitor("main study", config.families.size() * config.sequences);
  results::MainStudy study;
  study.config = config.summary();
  for (const auto& name : config.families) {
    auto tournament = config.tournament(name);
    tournament.finished_one = [&] { advance(1); };
    const suite::Tournament played = suite::play_tournament(tournament);
    Family& family = study.families.emplace_back();
    family.name = name;
    family.oracle = played.oracle;
    family.generating_path = played.generating;
    family.methods = method_regrets(played);
    if (!played.tuned_per_sequence.empty()) {
      const auto regret = suite::minus(played.tuned_per_sequence, played.oracle);
      family.fixed_share_tuned_per_sequence = {regret, stats::summarize(regret).mean};
    }
    family.comparisons = all_pairs(family.methods);
  }
  correct_for_families(study.families);
  return study;
}

// The tables and the data of the main study.

namespace {

using results::MainStudy;
using Family = MainStudy::Family;

// A row for each method, a column for each family; "-" where a family has no such cell.
template <class Cell>
io::TextTable by_family(std::string caption, const std::vector<std::string>& names,
                        const MainStudy& study, const Cell& cell) {
  io::TextTable table{std::move(caption), {"method"}, {}};
  for (const auto& family : study.families) table.head.push_back(family.name);
  for (const auto& name : names) {
    auto& row = table.rows.emplace_back(std::vector{name});
    for (const auto& family : study.families) {
      const auto* method = find_method(family.methods, name);
      row.push_back(method == nullptr ? "-" : cell(family, *method));
    }
  }
  return table;
}

io::TextTable regret_table(const MainStudy& study, const std::vector<std::string>& names) {
  const auto& config = study.config;
  io::TextTable table = by_family(
      fmt::format("Dynamic regret against the exact oracle with {} switches, mean ± standard "
                  "deviation over {} sequences of {} rounds, {} experts (less is better)",
                  config.switches, config.sequences, config.rounds, config.experts.value_or(0)),
      names, study, [](const Family&, const results::MethodRegret& method) {
        return mean_and_deviation(method.mean, method.std);
      });
  if (!study.families.front().fixed_share_tuned_per_sequence) return table;
  auto& row = table.rows.emplace_back(std::vector<std::string>{kFixedSharePerSequence});
  for (const auto& family : study.families) {
    const auto [mean, std] = stats::summarize(family.fixed_share_tuned_per_sequence->regret);
    row.push_back(mean_and_deviation(mean, std));
  }
  return table;
}

io::TextTable win_table(const MainStudy& study, const std::vector<std::string>& names) {
  return by_family(
      fmt::format("Against {}: sequences won, and mean improvement (more is better)",
                  kTunedFixedShare),
      names, study, [](const Family& family, const results::MethodRegret& method) -> std::string {
        const auto* pair = find_pair(family.comparisons, method.name, kTunedFixedShare);
        if (pair == nullptr) return "-";
        return fmt::format("{:.0f} % {:+.2f}", 100 * pair->paired.win_rate,
                           pair->paired.mean_improvement);
      });
}

io::TextTable closed_table(const MainStudy& study, const std::vector<std::string>& names) {
  return by_family(
      fmt::format("Share of the distance from {} to the limit ({}) that a method closes",
                  kTunedFixedShare, suite::kLimitName),
      names, study, [](const Family&, const results::MethodRegret& method) -> std::string {
        return method.share_closed ? fmt::format("{:.0f} %", 100 * *method.share_closed) : "-";
      });
}

io::TextTable unclipped_table(const MainStudy& study, const std::vector<std::string>& names) {
  return by_family(
      "Dynamic regret on the losses before they were clipped to [0,1]: the same weights, the "
      "oracle of those losses",
      names, study, [](const Family&, const results::MethodRegret& method) -> std::string {
        return method.unclipped ? mean_and_deviation(method.unclipped->mean, method.unclipped->std)
                                : "-";
      });
}

// The paper's Table 2: a method against those of the paper and against the tuned one, with all that is
// tested about it. Without rows where none of them plays.
io::TextTable paired_table(const MainStudy& study, const std::string& method) {
  io::TextTable table{
      method +
          " against others, paired by sequence; p after Holm's correction over the "
          "families, intervals at 95 %",
      {"family", "against", "won", "improvement", "t: p", "Wilcoxon: p", "Cohen's d"},
      {},
      2};
  for (const auto& family : study.families) {
    for (const char* other : {"genshare", "fixed-share", kTunedFixedShare}) {
      const auto* pair = find_pair(family.comparisons, method, other);
      if (pair == nullptr) continue;
      const auto& paired = pair->paired;
      table.rows.push_back({family.name, other, fmt::format("{:.0f} %", 100 * paired.win_rate),
                            fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", paired.mean_improvement,
                                        paired.ci_low, paired.ci_high),
                            fmt::format("{:.0e}", pair->t_p_holm.value_or(1)),
                            fmt::format("{:.0e}", pair->wilcoxon_p_holm.value_or(1)),
                            paired.cohens_d ? fmt::format("{:.1f}", *paired.cohens_d) : "-"});
    }
  }
  return table;
}

io::TextTable regret_data(const MainStudy& study) {
  io::TextTable data{"regrets", {"family", "sequence", "method", "regret"}, {}};
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      for (std::size_t i = 0; i < method.regret.size(); ++i) {
        data.rows.push_back(
            {family.name, std::to_string(i), method.name, fmt::format("{}", method.regret[i])});
      }
    }
  }
  return data;
}

io::TextTable comparison_data(const MainStudy& study) {
  io::TextTable data{"comparisons",
                     {"family", "a", "b", "win_rate", "mean_improvement", "ci_low", "ci_high",
                      "t_p", "t_p_holm", "wilcoxon_p", "wilcoxon_p_holm", "cohens_d"},
                     {}};
  for (const auto& family : study.families) {
    for (const auto& pair : family.comparisons) {
      const auto& p = pair.paired;
      auto& row = data.rows.emplace_back(std::vector{family.name, pair.a, pair.b});
      for (const double x :
           {p.win_rate, p.mean_improvement, p.ci_low, p.ci_high, p.t_p, pair.t_p_holm.value_or(1),
            p.wilcoxon_p, pair.wilcoxon_p_holm.value_or(1)}) {
        row.push_back(fmt::format("{}", x));
      }
      row.push_back(p.cohens_d ? fmt::format("{}", *p.cohens_d) : "");
    }
  }
  return data;
}

std::string remarks(const MainStudy& study, bool limited) {
  std::string chosen;
  for (const auto& family : study.families) {
    for (const auto& method : family.methods) {
      if (method.chosen_in_hindsight.empty()) continue;
      chosen += fmt::format("{}{} on {}: {}", chosen.empty() ? "" : "; ", method.name, family.name,
                            method.chosen_in_hindsight);
    }
  }
  std::string out;
  if (!chosen.empty()) {
    out = fmt::format("* rates chosen in hindsight for each family; nobody can play these: {}\n",
                      chosen);
  }
  if (study.families.front().fixed_share_tuned_per_sequence) {
    out += "** rates chosen in hindsight for each single sequence\n";
  }
  if (limited) {
    out += fmt::format(
        "{}: the exact filter of the law that made the losses, with all its parameters (on drift "
        "up to clipping); nobody can do better in expectation\n",
        suite::kLimitName);
  }
  return out;
}

}  // namespace

std::string mean_and_deviation(double mean, double std) {
  return fmt::format("{:.2f} ± {:.2f}", mean, std);
}

StudyTables tables_of(const MainStudy& study) {
  const bool limited =
      std::any_of(study.families.begin(), study.families.end(), [](const Family& family) {
        return find_method(family.methods, suite::kLimitName) != nullptr;
      });
  std::vector<std::string> names = study.config.methods;
  if (limited) names.emplace_back(suite::kLimitName);

  StudyTables out{{{"main", regret_table(study, names)}}};
  io::TextTable unclipped = unclipped_table(study, names);
  if (find_method(study.families.front().methods, kTunedFixedShare) != nullptr) {
    std::erase(names, kTunedFixedShare);
    if (!names.empty()) {
      out.tables.emplace_back("wins", win_table(study, names));
      if (limited) out.tables.emplace_back("closed", closed_table(study, names));
    }
  }
  for (const auto& method : compared_methods(study.config)) {
    if (io::TextTable paired = paired_table(study, method); !paired.rows.empty()) {
      out.tables.emplace_back(method == study.config.featured ? "featured" : "recipe",
                              std::move(paired));
    }
  }
  out.tables.emplace_back("unclipped", std::move(unclipped));
  out.data = {regret_data(study), comparison_data(study)};
  out.remarks = remarks(study, limited);
  return out;
}

}  // namespace pcgs::studies
