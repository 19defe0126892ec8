#include "research/study_results.h"

#include <algorithm>

#include "data/json.h"
#include "research/electricity.h"
#include "research/oracle_study.h"
#include "research/study_page.h"
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

// What every study has around its families, cells or pools.
template <class OfStudy, class Entry>
void study_fields(Fields& f, OfStudy& study, const char* key, std::vector<Entry>& entries) {
  f("config", study.config, key, entries);
  f.unless_empty("timing", study.timing);
  f.require(!entries.empty(), key, "is empty");
}

// There are methods, and each has a regret for every sequence.
void require_regrets(const Fields& f, const PlayedMethods& played) {
  const auto complete = [&](const MethodRegret& one) {
    return one.regret.size() == played.oracle.size() &&
           (one.unclipped_regret.empty() || one.unclipped_regret.size() == played.oracle.size());
  };
  f.require(!played.methods.empty(), "methods", "is empty");
  f.require(std::all_of(played.methods.begin(), played.methods.end(), complete), "methods",
            "lack regrets for some of the sequences");
}

void fields(Fields& f, MainStudy::Tuned& tuned) { f("regret", tuned.regret, "mean", tuned.mean); }

void fields(Fields& f, MainStudy::Family& family) {
  f("name", family.name, "oracle", family.oracle, "generating_path", family.generating_path,
    "methods", family.methods);
  f.unless_empty("fixed_share_tuned_per_sequence", family.fixed_share_tuned_per_sequence);
  f("comparisons", family.comparisons);
  require_regrets(f, family);
}

void fields(Fields& f, MainStudy& study) { study_fields(f, study, "families", study.families); }

void fields(Fields& f, HeavyTailStudy::Cell& cell) {
  f("df", cell.df, "jump_probability", cell.jump_probability, "oracle", cell.oracle, "methods",
    cell.methods, "comparisons", cell.comparisons);
  require_regrets(f, cell);
}

void fields(Fields& f, HeavyTailStudy& study) { study_fields(f, study, "cells", study.cells); }

void fields(Fields& f, ScalingStudy::Pool& pool) {
  f("experts", pool.experts, "oracle", pool.oracle, "generating_path", pool.generating_path,
    "methods", pool.methods, "comparisons", pool.comparisons);
  require_regrets(f, pool);
}

void fields(Fields& f, ScalingStudy& study) { study_fields(f, study, "pools", study.pools); }

void fields(Fields& f, MechanismStudy::Method& method) {
  f("name", method.name, "switches_total", method.switches_total, "rho_after_switch",
    method.rho_after_switch, "rho_elsewhere", method.rho_elsewhere, "rho_ratio", method.rho_ratio,
    "q_on_next", method.q_on_next, "q_entropy", method.q_entropy, "rho_volatility_correlation",
    method.rho_volatility_correlation, "effective_complexity", method.effective_complexity,
    "uniform_complexity", method.uniform_complexity);
}

void fields(Fields& f, MechanismStudy::Family& family) {
  f("name", family.name, "methods", family.methods);
  f.require(!family.methods.empty(), "methods", "is empty");
}

void fields(Fields& f, MechanismStudy& study) {
  study_fields(f, study, "families", study.families);
}

void fields(Fields& f, AblationStudy::Family& family) {
  f("name", family.name, "oracle", family.oracle, "methods", family.methods, "comparisons",
    family.comparisons);
  require_regrets(f, family);
}

void fields(Fields& f, AblationStudy& study) { study_fields(f, study, "families", study.families); }

std::string study_name(const Study& study) {
  const std::string kind = std::visit([](const auto& one) { return one.kKind; }, study);
  return kind.substr(0, kind.rfind(' '));
}

ordered_json encode(const std::vector<Study>& studies) {
  ordered_json out = ordered_json::object();
  for (const Study& study : studies) out[study_name(study)] = encode(study);
  return out;
}

void decode(const ordered_json& json, const Place& place, std::vector<Study>& out) {
  if (!json.is_object()) place.refuse("is not an object");
  out.clear();
  for (const auto& [name, study] : json.items()) {
    const Place below(place, name);
    decode(study, below, out.emplace_back());
    if (study_name(out.back()) != name) below.refuse("is a study of another name");
  }
}

void fields(Fields& f, SuiteResult& suite) {
  f("studies", suite.studies);
  f.require(!suite.studies.empty(), "studies", "is empty");
}

const Kind& MainStudy::kind() {
  static const Kind kKind = make_kind<MainStudy, report::show_main>(60);
  return kKind;
}

const Kind& HeavyTailStudy::kind() {
  static const Kind kKind = make_kind<HeavyTailStudy, report::show_heavy_tail>(70);
  return kKind;
}

const Kind& ScalingStudy::kind() {
  static const Kind kKind = make_kind<ScalingStudy, report::show_scaling>(80);
  return kKind;
}

const Kind& AblationStudy::kind() {
  static const Kind kKind = make_kind<AblationStudy, report::show_ablation>(90);
  return kKind;
}

const Kind& MechanismStudy::kind() {
  static const Kind kKind = make_kind<MechanismStudy, report::show_mechanism>(100);
  return kKind;
}

// A page shows its studies, each a result of its own.
const Kind& SuiteResult::kind() {
  static const Kind kKind = [] {
    Kind kind = make_kind<SuiteResult>(110);
    kind.parts = [](const Result& suite) {
      std::vector<Result> out;
      for (const Study& study : suite.get_if<SuiteResult>()->studies) {
        std::visit([&](const auto& one) { out.emplace_back(one); }, study);
      }
      return out;
    };
    kind.switches = [](const Result& suite) {
      std::optional<std::size_t> most;
      for (const Study& study : suite.get_if<SuiteResult>()->studies) {
        most = std::max(most, std::visit([](const auto& one) { return switches_of(one); }, study));
      }
      return most;
    };
    return kind;
  }();
  return kKind;
}

Kinds all_kinds() {
  static const std::vector<const Kind*> kAll = [] {
    std::vector<const Kind*> all(user_kinds().begin(), user_kinds().end());
    all.insert(all.end(), {&ElectricityResult::kind(), &MainStudy::kind(), &HeavyTailStudy::kind(),
                           &ScalingStudy::kind(), &AblationStudy::kind(), &MechanismStudy::kind(),
                           &SuiteResult::kind(), &OracleResult::kind()});
    return all;
  }();
  return kAll;
}

}  // namespace pcgs::results
