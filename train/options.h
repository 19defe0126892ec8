// The command line of pcgs-train.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trainer.h"

namespace CLI {
class App;
}

namespace pcgs::train {

// The paper's, and that of the shipped pcgs-tf:oracle.
inline constexpr double kPaperEta = 4;

struct Options {
  std::string out, report, record;  // model, page, course
  std::string snapshots;            // folder for the weights of every check; empty: none
  std::string init, losses, side, device = "auto", recipe = "regret", family, attention = "induced";
  std::size_t width = 64, layers = 2, heads = 4, hidden = 128, inducing = 16, memory = 0,
              pool_hidden = 64;
  std::size_t sequences = 20000, held_out = 32, switches = 12, window = 600, threads = 0;
  std::int64_t renew = 0;
  double families = 0.6;  // share of training sequences that are of the families
  std::vector<std::pair<std::string, double>>
      favoured;  // a family, and its share beside the others
  double oracle_weight = 1;
  bool combines() const { return recipe == "combine"; }
  std::string favoured_in_words() const;  // "predictive 0.2, hetero 0.1"
  bool eta_given = false;                 // also with --init, where it replaces the model's
  bool attention_given = false, memory_given = false,
       inducing_given = false;  // also with --init, which grows them
  std::int64_t processes = 1, rank = 0;
  std::string rendezvous;
  TrainerOptions trainer;
  bool quiet = false;
};

void declare(CLI::App& app, Options& options);

// After parsing: what was not asked for depends on what was. Throws Error, with what to give instead,
// where options contradict each other.
void choose_defaults(const CLI::App& app, Options& options);

}  // namespace pcgs::train
