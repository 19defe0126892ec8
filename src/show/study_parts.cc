#include "show/study_parts.h"

#include <algorithm>

#include "data/json_fields.h"
#include "show/kinds.h"

namespace pcgs::results {

std::vector<std::string> compared_methods(const StudyConfig& config) {
  std::vector<std::string> found;
  if (!config.featured.empty()) found.push_back(config.featured);
  for (const std::string& name : config.methods) {
    const bool papers = name == "pcgs-tf:oracle" || name.starts_with("pcgs-tf:oracle{");
    if (!papers) continue;
    if (name != config.featured) found.push_back(name);
    break;
  }
  return found;
}

const MethodRegret* find_method(const std::vector<MethodRegret>& methods, const std::string& name) {
  const auto at = std::find_if(methods.begin(), methods.end(),
                               [&](const MethodRegret& one) { return one.name == name; });
  return at == methods.end() ? nullptr : &*at;
}

const MethodPair* find_pair(const std::vector<MethodPair>& pairs, const std::string& a,
                            const std::string& b) {
  const auto at = std::find_if(pairs.begin(), pairs.end(),
                               [&](const MethodPair& one) { return one.a == a && one.b == b; });
  return at == pairs.end() ? nullptr : &*at;
}

void fields(Fields& f, StudyConfig& config) {
  f("rounds", config.rounds);
  f.unless_empty("experts", config.experts);
  f("sequences", config.sequences, "switches", config.switches, "seed", config.seed);
  f.unless_empty("methods", config.methods);
  f.unless_empty("featured", config.featured);
}

void fields(Fields& f, Timing& timing) { f("seconds", timing.seconds, "threads", timing.threads); }

void fields(Fields& f, Spread& spread) { f("mean", spread.mean, "std", spread.std); }

void fields(Fields& f, MethodRegret& method) {
  f("name", method.name);
  f.unless_empty("chosen_in_hindsight", method.chosen_in_hindsight);
  f("regret", method.regret, "mean", method.mean, "std", method.std);
  f.unless_empty("share_closed", method.share_closed);
  f.unless_empty("generating_path_regret", method.generating_path_regret);
  f.unless_empty("unclipped_regret", method.unclipped_regret);
  f.unless_empty("unclipped", method.unclipped);
}

void fields(Fields& f, MethodPair& pair) {
  f("a", pair.a, "b", pair.b, "win_rate", pair.paired.win_rate, "mean_improvement",
    pair.paired.mean_improvement, "ci_low", pair.paired.ci_low, "ci_high", pair.paired.ci_high, "t",
    pair.paired.t, "t_p", pair.paired.t_p, "wilcoxon_w", pair.paired.wilcoxon_w, "wilcoxon_p",
    pair.paired.wilcoxon_p, "cohens_d", pair.paired.cohens_d);
  f.unless_empty("t_p_holm", pair.t_p_holm);
  f.unless_empty("wilcoxon_p_holm", pair.wilcoxon_p_holm);
}

void require_regrets(const Fields& f, const PlayedMethods& played) {
  const auto complete = [&](const MethodRegret& one) {
    return one.regret.size() == played.oracle.size() &&
           (one.unclipped_regret.empty() || one.unclipped_regret.size() == played.oracle.size());
  };
  f.require(!played.methods.empty(), "methods", "is empty");
  f.require(std::all_of(played.methods.begin(), played.methods.end(), complete), "methods",
            "lack regrets for some of the sequences");
}

}  // namespace pcgs::results
