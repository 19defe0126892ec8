// The studies of the paper: from a configuration to what was found, and that as JSON, as tables and on a page.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "combine/hindsight_methods.h"
#include "data/progress.h"
#include "data/text.h"
#include "pcgs/matrix.h"
#include "research/paired.h"
#include "research/tournament.h"
#include "run/statistics.h"
#include "show/blocks.h"
#include "show/depth.h"
#include "show/result.h"
#include "show/sections.h"

namespace pcgs {
class OutputSet;
}

namespace pcgs::results {

// What a result says of how it was played: no experts in the scaling study, which has many, and no methods
// in the ablation study.
struct StudyConfig : suite::Contest {
  std::string featured;  // the method it is about; empty in the ablation study
};

struct Timing {
  double seconds = 0;
  std::size_t threads = 0;
};

struct Spread {
  double mean = 0;
  double std = 0;
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
};

// A method against another, sequence by sequence.
struct MethodPair {
  std::string a, b;
  stats::Paired paired;
  std::optional<double> t_p_holm, wilcoxon_p_holm;  // over the families, in the main study
};

// Methods on the same sequences: those of a family, of a cell of the heavy-tail study's grid, or of a
// number of experts.
struct Part {
  std::string family{};
  struct Cell {
    double df = 0;
    double jump_probability = 0;
  };
  std::optional<Cell> cell{};
  std::optional<std::size_t> experts{};

  std::vector<double> oracle{};           // [sequences]
  std::vector<double> generating_path{};  // [sequences], in the main and the scaling study
  // In the ablation study these are the variants, and the first is the whole.
  std::vector<MethodRegret> methods{};
  // Fixed Share with the best rates for each single sequence; in the main study.
  struct Tuned {
    std::vector<double> regret;  // [sequences]
    double mean = 0;
  };
  std::optional<Tuned> fixed_share_tuned_per_sequence{};
  // The main study compares every two methods; the ablation study compares the first with each of the
  // rest, the others those of compared_methods().
  std::vector<MethodPair> comparisons{};

  std::string name() const;  // "switch", or "K = 64"
};

// Does a controller do what the theory says it should? Restart more when the best expert changes,
// towards the expert that is best next.
//
// A method of the share form beside the oracle's path p* for a budget of switches. A round t is a switch
// round if p*_{t+1} differs from p*_t: its controls make the weights that meet the new best expert.
struct Mechanism {
  std::string name;
  std::size_t switches = 0;     // that the oracle's path takes
  double rho_after_switch = 0;  // mean rho over the kAfterSwitch rounds that follow a switch round
  double rho_elsewhere = 0;     // and over all others
  double rho_ratio = 0;         // of these two; 0 if the second is
  double q_on_next = 0;         // mean of q_t(p*_{t+1}) over switch rounds
  double q_entropy = 0;         // mean entropy of q in nats, over all rounds
  double rho_volatility = 0;    // correlation of rho with the volatility of the learner's loss
  double effective_complexity = 0;  // C_eff = sum over switch rounds of -ln q_t(p*_{t+1})
  double uniform_complexity = 0;    // what uniform restarts cost there: switches times ln K
};

inline constexpr std::size_t kAfterSwitch = 5;

// What is measured of it: under which name in JSON, in a printed table and on a page.
struct Measure {
  const char* key;
  double Mechanism::*value;
  const char *printed, *format;
  const char* shown;
};
inline constexpr Measure kMeasures[] = {
    {"rho_after_switch", &Mechanism::rho_after_switch, "rho after", "{:.1e}", "rho after a switch"},
    {"rho_elsewhere", &Mechanism::rho_elsewhere, "elsewhere", "{:.1e}", "elsewhere"},
    {"rho_ratio", &Mechanism::rho_ratio, "ratio", "{:.2f}", "ratio"},
    {"q_on_next", &Mechanism::q_on_next, "q on next", "{:.4f}", "q on the next expert"},
    {"q_entropy", &Mechanism::q_entropy, "entropy", "{:.2f}", "entropy of q"},
    {"rho_volatility_correlation", &Mechanism::rho_volatility, "corr", "{:+.2f}",
     "correlation with volatility"},
    {"effective_complexity", &Mechanism::effective_complexity, "C_eff", "{:.1f}",
     "effective complexity"},
    {"uniform_complexity", &Mechanism::uniform_complexity, "uniform", "{:.1f}",
     "of uniform restarts"}};

struct MechanismFamily {
  std::string name;
  std::vector<Mechanism> methods;  // means over the sequences; of switches the sum
};

struct StudyForm;

// What a study found. The mechanism study has families, all others have parts.
struct StudyResult {
  const StudyForm* form = nullptr;
  StudyConfig config;
  std::optional<Timing> timing;
  std::vector<Part> parts{};
  std::vector<MechanismFamily> families{};

  const Kind& kind() const;
};

// Several studies of pcgs suite at once.
struct SuiteResult {
  static constexpr const char* kKind = "suite";
  static const Kind& kind();

  std::vector<StudyResult> studies;  // in JSON an object, by the name that --study has for them
};

// Every kind of result that pcgs writes: those for users and those of the studies.
Kinds all_kinds();

// The methods that a study compares with all others: the featured one, and the paper's own,
// pcgs-tf:oracle with whatever options, if it plays.
std::vector<std::string> compared_methods(const StudyConfig& config);

const MethodRegret* find_method(const std::vector<MethodRegret>& methods, const std::string& name);
const MethodPair* find_pair(const std::vector<MethodPair>& pairs, const std::string& a,
                            const std::string& b);

// The names of the methods of parts or families, each once.
template <class Entry>
std::vector<std::string> method_names(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    for (const auto& method : entry.methods) {
      if (std::find(names.begin(), names.end(), method.name) == names.end()) {
        names.push_back(method.name);
      }
    }
  }
  return names;
}

}  // namespace pcgs::results

namespace pcgs::studies {

using results::StudyResult;

struct StudyConfig : suite::Contest {  // with at least one method
  std::size_t threads = 1;
  std::vector<std::string> families;  // never empty; those of main and mechanism
  std::vector<std::size_t> pools;     // numbers of experts of the scaling study
  std::string retrained;              // folder of models for the ablation study; empty: none

  suite::TournamentOptions tournament(std::string family) const;
  // The i-th sequence of a family.
  suite::Sequence sequence(const std::string& family, std::size_t i) const;
  // Those of the methods that have restarts to look at. Throws Error if none has.
  std::vector<std::string> methods_with_restarts() const;
  // What a result says of it.
  results::StudyConfig summary() const;
};

// What a study found, as tables for people and as data for other programs.
struct StudyTables {
  // Name and table, in the order of printing.
  std::vector<std::pair<std::string, io::TextTable>> tables;
  std::vector<io::TextTable> data{};  // each one CSV file; the caption is its name
  std::string remarks{};              // printed below the tables
};

// Plays a study. No result depends on the number of threads.
StudyResult play(const results::StudyForm& form, const StudyConfig& config,
                 const io::Monitor& monitor);

// Per-round files for the first sequence of each family: FAMILY.csv with what each method lost in
// each round, and FAMILY-trace.csv with the weights and controls of a few methods.
void write_round_files(const StudyConfig& config, const std::string& folder, OutputSet& outputs);

// The first sequence of each family in depth, for a page: our methods beside the classical ones.
std::vector<report::RunDepth> first_sequences(const StudyConfig& config);

// Looks at one run. Throws Error if the method is not of the share form. Means over no rounds are 0, and
// so is the correlation of something constant.
results::Mechanism examine(const std::string& method, MatrixView losses, std::size_t switches);

// What studies have in common.

// Adds regrets against the exact oracle, in the order of the tournament's entries, and each of the
// `compared` methods against all others, paired by sequence. Requires that they are there.
void add_regrets(const suite::Tournament& tournament, const std::vector<std::string>& compared,
                 results::Part& part);

// A row for each of these methods and a column for each part; empty where a part lacks the method.
using CellOf = std::function<show::Cell(const results::Part&, const results::MethodRegret&)>;
show::Table by_part(const StudyResult& study, const std::vector<std::string>& names,
                    const CellOf& cell);
// "12.34 ± 0.56"
show::Cell spread_cell(double mean, double std);
// The means and deviations of all methods.
show::Table means_table(const StudyResult& study);
// What the table shows, with "-" where a cell is empty.
io::TextTable plain(const show::Table& table, std::string caption);

// "oracle with at most 12 switches, 20 sequences of 600 rounds and 32 experts, seed 7"
std::string setting(const results::StudyConfig& config);

// Means and deviations as dots, a group for each family.
void add_dots(const StudyResult& study, const char* palette, report::Chart& chart);

// Rows, columns, and for each pair a colour from worse to better and a text.
struct HeatMap {
  struct Cell {
    double value;  // NaN: an empty cell
    std::string text;
    std::string note;  // below it, small; empty: none
  };
  std::vector<std::string> rows, columns;
  std::vector<Cell> cells;  // [rows x columns]

  const Cell& at(std::size_t row, std::size_t column) const {
    return cells[row * columns.size() + column];
  }
};

// `low` is the worst colour and `high` the best. Rows are methods and columns families, unless the
// chart's values say otherwise; they and its texts are for the caller to add.
report::Chart heat_map(const HeatMap& map, double low, double high, const char* row = "method",
                       const char* column = "family");

// Plays tournaments on the parts that a study has, which say where.
void play_parts(const StudyConfig& config, const io::Monitor& monitor, StudyResult& study);

// Each study: `play` fills in what a result has besides its form and configuration.
using Play = void(const StudyConfig& config, const io::Monitor& monitor, StudyResult& study);
using Tables = StudyTables(const StudyResult& study);
using Show = void(const StudyResult& study, report::PageParts& page);
Play play_main, play_heavy_tail, play_scaling, play_mechanism, play_ablation;
Tables main_tables, heavy_tail_tables, scaling_tables, mechanism_tables, ablation_tables;
Show show_main, show_heavy_tail, show_scaling, show_mechanism, show_ablation;

}  // namespace pcgs::studies

namespace pcgs::results {

struct StudyForm {
  const char* name;   // as --study has it
  const char* kind;   // of its result
  const char* parts;  // what these are called in JSON
  const char* part;   // and what tells them apart
  int place;          // on a page
  studies::Play* play;
  studies::Tables* tables;
  studies::Show* show;
};

// In the order in which they are played.
inline constexpr StudyForm kStudies[] = {
    {"main", "main study", "families", "name", 60, studies::play_main, studies::main_tables,
     studies::show_main},
    {"heavy-tail", "heavy-tail study", "cells", "df", 70, studies::play_heavy_tail,
     studies::heavy_tail_tables, studies::show_heavy_tail},
    {"scaling", "scaling study", "pools", "experts", 80, studies::play_scaling,
     studies::scaling_tables, studies::show_scaling},
    {"mechanism", "mechanism study", "families", "name", 100, studies::play_mechanism,
     studies::mechanism_tables, studies::show_mechanism},
    {"ablation", "ablation study", "families", "name", 90, studies::play_ablation,
     studies::ablation_tables, studies::show_ablation}};

}  // namespace pcgs::results
