// The main study: all families, all methods, paired statistics.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "research/study.h"
#include "research/tournament.h"
#include "run/statistics.h"

namespace pcgs::studies {

using results::find_method;
using results::find_pair;
using results::MethodPair;
using results::MethodRegret;
using results::Part;

namespace {

// Each pair of methods is tested once for each family; Holm's correction is over those.
void correct_for_families(std::vector<Part>& families) {
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

io::TextTable regret_table(const StudyResult& study, const std::vector<std::string>& names) {
  const auto& config = study.config;
  io::TextTable table =
      plain(by_part(study, names,
                    [](const Part&, const MethodRegret& method) {
                      return spread_cell(method.mean, method.std);
                    }),
            fmt::format("Dynamic regret against the exact oracle with {} switches, mean ± standard "
                        "deviation over {} sequences of {} rounds, {} experts (less is better)",
                        config.switches, config.sequences, config.rounds, config.experts));
  if (!study.parts.front().fixed_share_tuned_per_sequence) return table;
  auto& row = table.rows.emplace_back(std::vector<std::string>{kFixedSharePerSequence});
  for (const auto& family : study.parts) {
    const auto [mean, std] = stats::summarize(family.fixed_share_tuned_per_sequence->regret);
    row.push_back(spread_cell(mean, std).text);
  }
  return table;
}

// The paper's Table 2: a method against those of the paper and against the tuned one, with all that is
// tested about it. Without rows where none of them plays.
io::TextTable paired_table(const StudyResult& study, const std::string& method) {
  io::TextTable table{
      method +
          " against others, paired by sequence; p after Holm's correction over the "
          "families, intervals at 95 %",
      {"family", "against", "won", "improvement", "t: p", "Wilcoxon: p", "Cohen's d"},
      {},
      2};
  for (const auto& family : study.parts) {
    for (const char* other : {"genshare", "fixed-share", kTunedFixedShare}) {
      const auto* pair = find_pair(family.comparisons, method, other);
      if (pair == nullptr) continue;
      const auto& paired = pair->paired;
      table.rows.push_back({family.family, other, fmt::format("{:.0f} %", 100 * paired.win_rate),
                            fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", paired.mean_improvement,
                                        paired.ci_low, paired.ci_high),
                            fmt::format("{:.0e}", pair->t_p_holm.value_or(1)),
                            fmt::format("{:.0e}", pair->wilcoxon_p_holm.value_or(1)),
                            paired.cohens_d ? fmt::format("{:.1f}", *paired.cohens_d) : "-"});
    }
  }
  return table;
}

io::TextTable regret_data(const StudyResult& study) {
  io::TextTable data{"regrets", {"family", "sequence", "method", "regret"}, {}};
  for (const auto& family : study.parts) {
    for (const auto& method : family.methods) {
      for (std::size_t i = 0; i < method.regret.size(); ++i) {
        data.rows.push_back(
            {family.family, std::to_string(i), method.name, fmt::format("{}", method.regret[i])});
      }
    }
  }
  return data;
}

io::TextTable comparison_data(const StudyResult& study) {
  io::TextTable data{"comparisons",
                     {"family", "a", "b", "win_rate", "mean_improvement", "ci_low", "ci_high",
                      "t_p", "t_p_holm", "wilcoxon_p", "wilcoxon_p_holm", "cohens_d"},
                     {}};
  for (const auto& family : study.parts) {
    for (const auto& pair : family.comparisons) {
      const auto& p = pair.paired;
      auto& row = data.rows.emplace_back(std::vector{family.family, pair.a, pair.b});
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

std::string remarks(const StudyResult& study, bool limited) {
  std::vector<std::string> chosen;
  for (const auto& family : study.parts) {
    for (const auto& method : family.methods) {
      if (method.chosen_in_hindsight.empty()) continue;
      chosen.push_back(
          fmt::format("{} on {}: {}", method.name, family.family, method.chosen_in_hindsight));
    }
  }
  std::string out;
  if (!chosen.empty()) {
    out = fmt::format("* rates chosen in hindsight for each family; nobody can play these: {}\n",
                      fmt::join(chosen, "; "));
  }
  if (study.parts.front().fixed_share_tuned_per_sequence) {
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

void play_main(const StudyConfig& config, const io::Monitor& monitor, StudyResult& study) {
  for (const auto& name : config.families) study.parts.push_back({.family = name});
  play_parts(config, monitor, study);
  correct_for_families(study.parts);
}

StudyTables main_tables(const StudyResult& study) {
  const bool limited = std::any_of(study.parts.begin(), study.parts.end(), [](const Part& family) {
    return find_method(family.methods, suite::kLimitName) != nullptr;
  });
  std::vector<std::string> names = study.config.methods;
  if (limited) names.emplace_back(suite::kLimitName);

  StudyTables out{{{"main", regret_table(study, names)}}};
  io::TextTable unclipped = plain(
      by_part(study, names,
              [](const Part&, const MethodRegret& method) {
                return method.unclipped ? spread_cell(method.unclipped->mean, method.unclipped->std)
                                        : show::Cell{};
              }),
      "Dynamic regret on the losses before they were clipped to [0,1]: the same weights, the "
      "oracle of those losses");
  if (find_method(study.parts.front().methods, kTunedFixedShare) != nullptr) {
    std::erase(names, kTunedFixedShare);
    if (!names.empty()) {
      const auto wins = [](const Part& family, const MethodRegret& method) -> show::Cell {
        const auto* pair = find_pair(family.comparisons, method.name, kTunedFixedShare);
        if (pair == nullptr) return {};
        return {fmt::format("{:.0f} % {:+.2f}", 100 * pair->paired.win_rate,
                            pair->paired.mean_improvement)};
      };
      out.tables.emplace_back(
          "wins", plain(by_part(study, names, wins),
                        fmt::format("Against {}: sequences won, and mean improvement (more is "
                                    "better)",
                                    kTunedFixedShare)));
    }
    if (!names.empty() && limited) {
      const auto closed = [](const Part&, const MethodRegret& method) {
        return show::share(method.share_closed, "{:.0f} %");
      };
      out.tables.emplace_back(
          "closed", plain(by_part(study, names, closed),
                          fmt::format("Share of the distance from {} to the limit ({}) that a "
                                      "method closes",
                                      kTunedFixedShare, suite::kLimitName)));
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
