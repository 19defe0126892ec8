// The studies of the paper: from a configuration to what was found (results/).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/progress.h"
#include "data/text_table.h"
#include "research/study_results.h"
#include "research/tournament.h"
#include "run/statistics.h"
#include "show/depth.h"

namespace pcgs {
class OutputSet;
}

namespace pcgs::studies {

struct StudyConfig {
  std::size_t rounds = 600;
  std::size_t experts = 32;
  std::size_t sequences = 20;
  std::size_t switches = 12;
  std::uint64_t seed = 7;
  std::size_t threads = 1;
  std::vector<std::string> methods;   // never empty
  std::vector<std::string> families;  // never empty; those of main and mechanism
  std::vector<std::size_t> pools;     // numbers of experts of the scaling study
  std::string retrained;              // folder of models for the ablation study; empty: none

  suite::TournamentOptions tournament(std::string family) const;
  // The i-th sequence of a family.
  suite::Sequence sequence(const std::string& family, std::size_t i) const;
  // The method that a study is about: the learned controller if it plays, else the first.
  std::string featured() const;
  // Those of the methods that have restarts to look at. Throws Error if none has.
  std::vector<std::string> methods_with_restarts() const;
  // Of these methods, those that play and can be played.
  std::vector<std::string> playing(std::vector<std::string> wanted) const;
  std::vector<std::string> expert_names() const;  // e1, e2, ...
  // What a result says of it.
  results::StudyConfig summary() const;
};

// No result depends on the number of threads.
results::MainStudy main_study(const StudyConfig& config, const io::Monitor& monitor);
results::HeavyTailStudy heavy_tail_study(const StudyConfig& config, const io::Monitor& monitor);
results::ScalingStudy scaling_study(const StudyConfig& config, const io::Monitor& monitor);
results::MechanismStudy mechanism_study(const StudyConfig& config, const io::Monitor& monitor);
results::AblationStudy ablation_study(const StudyConfig& config, const io::Monitor& monitor);

struct NamedStudy {
  const char* name;
  results::Study (*run)(const StudyConfig&, const io::Monitor&);
};

template <auto study>
constexpr auto kAnyStudy = [](const StudyConfig& config, const io::Monitor& monitor) {
  return results::Study(study(config, monitor));
};
inline constexpr NamedStudy kStudies[] = {{"main", kAnyStudy<main_study>},
                                          {"heavy-tail", kAnyStudy<heavy_tail_study>},
                                          {"scaling", kAnyStudy<scaling_study>},
                                          {"mechanism", kAnyStudy<mechanism_study>},
                                          {"ablation", kAnyStudy<ablation_study>}};

// Per-round files for the first sequence of each family: FAMILY.csv with what each method lost in
// each round, and FAMILY-trace.csv with the weights and controls of a few methods.
void write_round_files(const StudyConfig& config, const std::string& folder, OutputSet& outputs);

// The first sequence of each family in depth, for a page: our methods beside the classical ones.
std::vector<report::RunDepth> first_sequences(const StudyConfig& config);

// Regrets and their statistics, the same in every study.

// Against the exact oracle, in the order of the tournament's entries.
std::vector<results::MethodRegret> method_regrets(const suite::Tournament& tournament);

// Each of these methods against all others, paired by sequence. Requires that they are there.
std::vector<results::MethodPair> against_others(const std::vector<results::MethodRegret>& methods,
                                                const std::vector<std::string>& compared);

// Resamples of so many sequences, the same in every study.
stats::Bootstrap bootstrap_for(std::size_t sequences);

// What a study found, as tables for people and as data for other programs.

struct StudyTables {
  // Name and table, in the order of printing.
  std::vector<std::pair<std::string, io::TextTable>> tables;
  std::vector<io::TextTable> data{};  // each one CSV file; the caption is its name
  std::string remarks{};              // printed below the tables
};

StudyTables tables_of(const results::MainStudy& study);
StudyTables tables_of(const results::HeavyTailStudy& study);
StudyTables tables_of(const results::ScalingStudy& study);
StudyTables tables_of(const results::MechanismStudy& study);
StudyTables tables_of(const results::AblationStudy& study);

// "12.34 ± 0.56"
std::string mean_and_deviation(double mean, double std);

}  // namespace pcgs::studies
