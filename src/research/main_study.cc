// The main study: all families, all methods, paired statistics.
#include <map>

#include "research/regrets.h"
#include "research/study.h"
#include "run/holm.h"
#include "run/summary.h"

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

}  // namespace pcgs::studies
