// The studies of pcgs suite. Each plays, and returns what there is to print, to save and to plot.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/depth.h"
#include "suite/tournament.h"
#include "table.h"

namespace pcgs::cli {

struct StudyOptions {
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
  std::string out;                    // folder for files; empty: none are written
  bool quiet = false;

  suite::TournamentOptions tournament(std::string family) const;
  // The method that a study is about: the learned controller if it plays, else the first.
  std::string featured() const;
};

struct StudyResult {
  nlohmann::ordered_json json;  // no timings: the same for the same seed, whatever the threads
  std::vector<std::pair<std::string, Table>> tables;  // name and table, in the order of printing
  std::vector<Table> data;                            // one CSV file; the caption is its name
  std::string remarks;                                // printed below the tables
};

// Those of the methods that have restarts to look at. Throws Error if none has.
std::vector<std::string> methods_with_restarts(const StudyOptions& options);

StudyResult main_study(const StudyOptions& options);
StudyResult heavy_tail_study(const StudyOptions& options);
StudyResult scaling_study(const StudyOptions& options);
StudyResult mechanism_study(const StudyOptions& options);
StudyResult ablation_study(const StudyOptions& options);

// Per-round files for the first sequence of each family: FAMILY.csv with what everybody lost in
// each round, and FAMILY-trace.csv with the weights and controls of a few methods.
void write_traces(const StudyOptions& options, const std::string& folder);

// The first sequence of each family in depth, for a report: our methods beside the classical ones.
std::vector<report::RunDepth> first_sequences(const StudyOptions& options);

// What every study says about its configuration.
nlohmann::ordered_json config_json(const StudyOptions& options);

}  // namespace pcgs::cli
