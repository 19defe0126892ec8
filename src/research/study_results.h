// What the studies of pcgs suite have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "research/paired.h"
#include "show/result.h"

namespace pcgs::results {

struct StudyConfig {
  std::size_t rounds = 0;
  std::optional<std::size_t> experts;  // none in the scaling study, which has many
  std::size_t sequences = 0;
  std::size_t switches = 0;
  std::size_t seed = 0;
  std::vector<std::string> methods;  // empty in the ablation study
  std::string featured;              // the method it is about; empty in the ablation study
  bool operator==(const StudyConfig&) const = default;
};

struct Timing {
  double seconds = 0;
  std::size_t threads = 0;
  bool operator==(const Timing&) const = default;
};

struct Spread {
  double mean = 0;
  double std = 0;
  bool operator==(const Spread&) const = default;
};

// One method on the sequences of a study.
struct MethodRegret {
  std::string name;
  std::string chosen_in_hindsight;  // empty if it was not
  std::vector<double> regret;       // [sequences]
  double mean = 0;
  double std = 0;
  // Of the way from fixed-share* to the limit; none where either is missing.
  std::optional<double> share_closed;
  std::optional<Spread> generating_path_regret;  // in the scaling study
  // On the losses before they were clipped to [0,1], against the oracle of those; empty where these
  // are not known.
  std::vector<double> unclipped_regret{};  // [sequences]
  std::optional<Spread> unclipped{};       // of that
  bool operator==(const MethodRegret&) const = default;
};

// A method against another, sequence by sequence.
struct MethodPair {
  std::string a, b;
  stats::Paired paired;
  std::optional<double> t_p_holm, wilcoxon_p_holm;  // over the families, in the main study
  bool operator==(const MethodPair&) const = default;
};

// Methods on the same sequences. The main study compares every two of them; the ablation study compares
// the first with each of the rest, the others those of compared_methods().
struct PlayedMethods {
  std::vector<double> oracle;  // [sequences]
  std::vector<MethodRegret> methods;
  std::vector<MethodPair> comparisons;
  bool operator==(const PlayedMethods&) const = default;
};

// What a study says of itself, beside what it found.
struct PlayedStudy {
  StudyConfig config;
  std::optional<Timing> timing;
  bool operator==(const PlayedStudy&) const = default;
};

// The methods that a study compares with all others: the featured one, and the paper's own,
// pcgs-tf:oracle with whatever options, if it plays.
std::vector<std::string> compared_methods(const StudyConfig& config);

const MethodRegret* find_method(const std::vector<MethodRegret>& methods, const std::string& name);
const MethodPair* find_pair(const std::vector<MethodPair>& pairs, const std::string& a,
                            const std::string& b);

// What the main study found: all families, all methods, every two of them compared.
struct MainStudy : PlayedStudy {
  static constexpr const char* kKind = "main study";
  static const Kind& kind();

  // Fixed Share with the best rates for each single sequence.
  struct Tuned {
    std::vector<double> regret;  // [sequences]
    double mean = 0;
    bool operator==(const Tuned&) const = default;
  };
  struct Family : PlayedMethods {
    std::string name;
    std::vector<double> generating_path;  // [sequences]
    std::optional<Tuned> fixed_share_tuned_per_sequence;
    bool operator==(const Family&) const = default;
  };

  std::vector<Family> families;  // at least one

  bool operator==(const MainStudy&) const = default;
};

// What the robustness study found: a grid of tail weights and jump probabilities.
struct HeavyTailStudy : PlayedStudy {
  static constexpr const char* kKind = "heavy-tail study";
  static const Kind& kind();

  struct Cell : PlayedMethods {
    double df = 0;
    double jump_probability = 0;
    bool operator==(const Cell&) const = default;
  };

  std::vector<Cell> cells;  // at least one

  bool operator==(const HeavyTailStudy&) const = default;
};

// What the scaling study found: more and more experts, two comparators.
struct ScalingStudy : PlayedStudy {
  static constexpr const char* kKind = "scaling study";
  static const Kind& kind();

  struct Pool : PlayedMethods {
    std::size_t experts = 0;
    std::vector<double> generating_path;  // [sequences]
    bool operator==(const Pool&) const = default;
  };

  std::vector<Pool> pools;  // at least one

  bool operator==(const ScalingStudy&) const = default;
};

// What the mechanism study found: when and where methods of the share form restart.
struct MechanismStudy : PlayedStudy {
  static constexpr const char* kKind = "mechanism study";
  static const Kind& kind();

  // Means over the sequences; see research/mechanism_study.h.
  struct Method {
    std::string name;
    std::size_t switches_total = 0;
    double rho_after_switch = 0;
    double rho_elsewhere = 0;
    double rho_ratio = 0;
    double q_on_next = 0;
    double q_entropy = 0;
    double rho_volatility_correlation = 0;
    double effective_complexity = 0;
    double uniform_complexity = 0;
    bool operator==(const Method&) const = default;
  };
  struct Family {
    std::string name;
    std::vector<Method> methods;
    bool operator==(const Family&) const = default;
  };

  std::vector<Family> families;  // at least one

  bool operator==(const MechanismStudy&) const = default;
};

// What the ablation study found: the learned controller with one of its choices taken away.
struct AblationStudy : PlayedStudy {
  static constexpr const char* kKind = "ablation study";
  static const Kind& kind();

  // Its methods are the variants; the first is the whole.
  struct Family : PlayedMethods {
    std::string name;
    bool operator==(const Family&) const = default;
  };

  std::vector<Family> families;  // at least one

  bool operator==(const AblationStudy&) const = default;
};

using Study = std::variant<MainStudy, HeavyTailStudy, ScalingStudy, MechanismStudy, AblationStudy>;

// Several studies of pcgs suite at once.
struct SuiteResult {
  static constexpr const char* kKind = "suite";
  static const Kind& kind();

  std::vector<Study> studies;  // in JSON an object, by the name that --study has for them

  bool operator==(const SuiteResult&) const = default;
};

// Every kind of result that pcgs writes: those for users and those of the studies.
Kinds all_kinds();

// "main" for the kind "main study".
std::string study_name(const Study& study);

}  // namespace pcgs::results
