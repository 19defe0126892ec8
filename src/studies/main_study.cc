// The main study: all families, all methods, paired statistics.
#include <fmt/format.h>

#include <map>

#include "methods/hindsight.h"
#include "pcgs/registry.h"
#include "stats/holm.h"
#include "stats/summary.h"
#include "studies/regrets.h"
#include "studies/study.h"

namespace pcgs::studies {

using nlohmann::ordered_json;

namespace {

constexpr const char* kOpponent = kTunedFixedShare;

struct FamilyResult {
  std::string name;
  suite::Tournament tournament;
  std::vector<Regrets> all;
  struct Pair {
    std::size_t a, b;  // of `all`
    stats::Paired paired;
    double t_p_holm = 1, wilcoxon_p_holm = 1;  // over the families that have this pair
  };
  std::vector<Pair> pairs;  // every two entries, either way round
};

const FamilyResult::Pair* find_pair(const FamilyResult& family, const std::string& a,
                                    const std::string& b) {
  for (const auto& pair : family.pairs) {
    if (family.all[pair.a].name == a && family.all[pair.b].name == b) return &pair;
  }
  return nullptr;
}

void compare_all_pairs(FamilyResult& family) {
  const stats::Bootstrap bootstrap = bootstrap_for(family.tournament);
  for (std::size_t a = 0; a < family.all.size(); ++a) {
    for (std::size_t b = 0; b < family.all.size(); ++b) {
      if (a == b) continue;
      family.pairs.push_back(
          {a, b, stats::compare(family.all[a].values, family.all[b].values, bootstrap), 1, 1});
    }
  }
}

// Each pair of methods is tested once for each family; Holm's correction is over those.
void correct_for_families(std::vector<FamilyResult>& results) {
  std::map<std::pair<std::string, std::string>, std::vector<FamilyResult::Pair*>> same;
  for (auto& family : results) {
    for (auto& pair : family.pairs) {
      same[{family.all[pair.a].name, family.all[pair.b].name}].push_back(&pair);
    }
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

ordered_json family_json(const FamilyResult& family) {
  ordered_json out = {{"name", family.name},
                      {"oracle", family.tournament.oracle},
                      {"generating_path", family.tournament.generating},
                      {"methods", regrets_json(family.all)}};
  if (!family.tournament.tuned_per_sequence.empty()) {
    const auto values =
        suite::minus(family.tournament.tuned_per_sequence, family.tournament.oracle);
    out["fixed_share_tuned_per_sequence"] = {{"regret", values},
                                             {"mean", stats::summarize(values).mean}};
  }
  out["comparisons"] = ordered_json::array();
  for (const auto& pair : family.pairs) {
    auto one = paired_json(family.all[pair.a].name, family.all[pair.b].name, pair.paired);
    one["t_p_holm"] = pair.t_p_holm;
    one["wilcoxon_p_holm"] = pair.wilcoxon_p_holm;
    out["comparisons"].push_back(std::move(one));
  }
  return out;
}

// A row for each method, a column for each family; "-" where a family has no such cell.
template <class Cell>
io::TextTable by_family(std::string caption, const std::vector<std::string>& names,
                        const std::vector<FamilyResult>& results, const Cell& cell) {
  io::TextTable table{std::move(caption), {"method"}, {}};
  for (const auto& family : results) table.head.push_back(family.name);
  for (const auto& name : names) {
    std::vector<std::string> row = {name};
    for (const auto& family : results) row.push_back(cell(family, name));
    table.rows.push_back(std::move(row));
  }
  return table;
}

io::TextTable regret_table(const StudyConfig& config, const std::vector<std::string>& names,
                           const std::vector<FamilyResult>& results) {
  io::TextTable table = by_family(
      fmt::format("Dynamic regret against the exact oracle with {} switches, mean ± standard "
                  "deviation over {} sequences of {} rounds, {} experts (less is better)",
                  config.switches, config.sequences, config.rounds, config.experts),
      names, results, [](const FamilyResult& family, const std::string& name) -> std::string {
        const Regrets* one = find(family.all, name);
        return one == nullptr ? "-" : mean_and_deviation(one->values);
      });
  if (results.front().tournament.tuned_per_sequence.empty()) return table;
  auto& row = table.rows.emplace_back(std::vector<std::string>{kFixedSharePerSequence});
  for (const auto& family : results) {
    row.push_back(mean_and_deviation(
        suite::minus(family.tournament.tuned_per_sequence, family.tournament.oracle)));
  }
  return table;
}

io::TextTable win_table(const std::vector<std::string>& names,
                        const std::vector<FamilyResult>& results) {
  return by_family(
      fmt::format("Against {}: sequences won, and mean improvement (more is better)", kOpponent),
      names, results, [](const FamilyResult& family, const std::string& name) -> std::string {
        const auto* pair = find_pair(family, name, kOpponent);
        if (pair == nullptr) return "-";
        return fmt::format("{:.0f} % {:+.2f}", 100 * pair->paired.win_rate,
                           pair->paired.mean_improvement);
      });
}

io::TextTable closed_table(const std::vector<std::string>& names,
                           const std::vector<FamilyResult>& results) {
  return by_family(
      fmt::format("Share of the distance from {} to the limit ({}) that a method closes", kOpponent,
                  suite::kLimitName),
      names, results, [](const FamilyResult& family, const std::string& name) -> std::string {
        const Regrets* one = find(family.all, name);
        if (one == nullptr) return "-";
        const auto closed = share_closed(family.all, stats::summarize(one->values).mean);
        return closed ? fmt::format("{:.0f} %", 100 * *closed) : "-";
      });
}

// The paper's win-rate table: the featured method against those of the paper and against the tuned
// one.
io::TextTable featured_table(const StudyConfig& config, const std::vector<FamilyResult>& results) {
  const std::string featured = config.featured();
  io::TextTable table{
      featured +
          " against others, paired by sequence; p of the Wilcoxon test after Holm's "
          "correction over the families",
      {"family"},
      {}};
  std::vector<std::string> others;
  for (const char* other : {"genshare", "fixed-share", kOpponent}) {
    if (featured != other && find(results.front().all, other) != nullptr)
      others.emplace_back(other);
  }
  for (const auto& other : others) {
    for (const char* what : {"won", "improvement", "p"}) {
      table.head.push_back(fmt::format("{}: {}", other, what));
    }
  }
  for (const auto& family : results) {
    std::vector<std::string> row = {family.name};
    for (const auto& other : others) {
      const auto& pair = *find_pair(family, featured, other);
      row.push_back(fmt::format("{:.0f} %", 100 * pair.paired.win_rate));
      row.push_back(fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", pair.paired.mean_improvement,
                                pair.paired.ci_low, pair.paired.ci_high));
      row.push_back(fmt::format("{:.1e}", pair.wilcoxon_p_holm));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

io::TextTable regret_data(const std::vector<FamilyResult>& results) {
  io::TextTable data{"regrets", {"family", "sequence", "method", "regret"}, {}};
  for (const auto& family : results) {
    for (const auto& one : family.all) {
      for (std::size_t i = 0; i < one.values.size(); ++i) {
        data.rows.push_back(
            {family.name, std::to_string(i), one.name, fmt::format("{}", one.values[i])});
      }
    }
  }
  return data;
}

io::TextTable comparison_data(const std::vector<FamilyResult>& results) {
  io::TextTable data{"comparisons",
                     {"family", "a", "b", "win_rate", "mean_improvement", "ci_low", "ci_high",
                      "t_p", "t_p_holm", "wilcoxon_p", "wilcoxon_p_holm", "cohens_d"},
                     {}};
  for (const auto& family : results) {
    for (const auto& pair : family.pairs) {
      const auto& p = pair.paired;
      std::vector<std::string> row = {family.name, family.all[pair.a].name,
                                      family.all[pair.b].name};
      for (const double x : {p.win_rate, p.mean_improvement, p.ci_low, p.ci_high, p.t_p,
                             pair.t_p_holm, p.wilcoxon_p, pair.wilcoxon_p_holm}) {
        row.push_back(fmt::format("{}", x));
      }
      row.push_back(p.cohens_d ? fmt::format("{}", *p.cohens_d) : "");
      data.rows.push_back(std::move(row));
    }
  }
  return data;
}

}  // namespace

StudyResult main_study(const StudyConfig& config, const io::Monitor& monitor) {
  const io::Advance advance = monitor("main study", config.families.size() * config.sequences);
  std::vector<FamilyResult> results;
  for (const auto& name : config.families) {
    auto tournament = config.tournament(name);
    tournament.finished_one = [&] { advance(1); };
    FamilyResult& family = results.emplace_back();
    family.name = name;
    family.tournament = suite::play_tournament(tournament);
    family.all = regrets(family.tournament);
    compare_all_pairs(family);
  }
  correct_for_families(results);

  std::vector<std::string> names = config.methods;
  bool limited = false;
  for (const auto& family : results) limited = limited || find(family.all, suite::kLimitName);
  if (limited) names.emplace_back(suite::kLimitName);

  StudyResult result;
  result.json = config_json(config);
  result.json["families"] = ordered_json::array();
  for (const auto& family : results) result.json["families"].push_back(family_json(family));
  result.tables.emplace_back("main", regret_table(config, names, results));
  if (find(results.front().all, kOpponent) != nullptr) {
    std::vector<std::string> others = names;
    std::erase(others, kOpponent);
    if (!others.empty()) {
      result.tables.emplace_back("wins", win_table(others, results));
      if (limited) result.tables.emplace_back("closed", closed_table(others, results));
    }
  }
  if (io::TextTable featured = featured_table(config, results); featured.head.size() > 1) {
    result.tables.emplace_back("featured", std::move(featured));
  }
  result.data = {regret_data(results), comparison_data(results)};
  bool starred = false;
  for (const auto& family : results) {
    for (const auto& one : family.all) {
      if (one.chosen.empty()) continue;
      result.remarks +=
          fmt::format("{}{} on {}: {}", starred ? "; " : "", one.name, family.name, one.chosen);
      starred = true;
    }
  }
  if (starred) {
    result.remarks =
        "* rates chosen in hindsight for each family; nobody can play these: " + result.remarks +
        "\n";
  }
  if (!results.front().tournament.tuned_per_sequence.empty()) {
    result.remarks += "** rates chosen in hindsight for each single sequence\n";
  }
  if (limited) {
    result.remarks += fmt::format(
        "{}: the exact filter of the law that made the losses, with all its parameters (on drift "
        "up to "
        "clipping); nobody can do better in expectation\n",
        suite::kLimitName);
  }
  return result;
}

}  // namespace pcgs::studies
