// What the studies of pcgs suite have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/paired.h"

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

}  // namespace pcgs::results
