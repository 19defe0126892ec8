// The studies of the paper. Each plays, and returns what there is to print, to save and to plot.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "io/progress.h"
#include "io/text_table.h"
#include "suite/tournament.h"

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
};

struct StudyResult {
  nlohmann::ordered_json json;  // no timings: the same for the same seed, whatever the threads
  // Name and table, in the order of printing.
  std::vector<std::pair<std::string, io::TextTable>> tables;
  std::vector<io::TextTable> data;  // one CSV file; the caption is its name
  std::string remarks;              // printed below the tables
};

StudyResult main_study(const StudyConfig& config, const io::Monitor& monitor);
StudyResult heavy_tail_study(const StudyConfig& config, const io::Monitor& monitor);
StudyResult scaling_study(const StudyConfig& config, const io::Monitor& monitor);
StudyResult mechanism_study(const StudyConfig& config, const io::Monitor& monitor);
StudyResult ablation_study(const StudyConfig& config, const io::Monitor& monitor);

struct Study {
  const char* name;
  StudyResult (*run)(const StudyConfig&, const io::Monitor&);
};

inline constexpr Study kStudies[] = {{"main", main_study},
                                     {"heavy-tail", heavy_tail_study},
                                     {"scaling", scaling_study},
                                     {"mechanism", mechanism_study},
                                     {"ablation", ablation_study}};

// Per-round files for the first sequence of each family: FAMILY.csv with what each method lost in
// each round, and FAMILY-trace.csv with the weights and controls of a few methods.
void write_round_files(const StudyConfig& config, const std::string& folder);

// What every study says about its configuration.
nlohmann::ordered_json config_json(const StudyConfig& config);

}  // namespace pcgs::studies
