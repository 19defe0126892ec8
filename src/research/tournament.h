// Methods playing the same sequences of one family, measured by dynamic regret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pcgs/method.h"
#include "pcgs/trace.h"
#include "research/suite.h"

namespace pcgs::suite {

inline constexpr const char* kLimitName = "bayes";

// How much is played, and by whom.
struct Contest {
  std::size_t rounds = 600;
  std::size_t experts = 32;
  std::size_t sequences = 20;
  std::size_t switches = 12;  // the oracle's budget
  std::uint64_t seed = 7;
  std::vector<std::string> methods{};  // as the registry knows them, and hedge*, fixed-share*
};

// Who is the best of its candidates, as hedge* and fixed-share* are.
struct Contender {
  std::string name;
  std::vector<std::string> candidates;  // specs
  bool clipped = true;  // false: it learns from losses that are scaled into [0,1] instead
};

struct TournamentOptions : Contest {
  std::string family = "switch";        // with its parameters
  std::size_t threads = 1;              // no result depends on it
  std::vector<Contender> contenders{};  // in place of the methods
  // Called once for each finished sequence, from one thread at a time.
  std::function<void()> finished_one = [] {};
};

struct Entry {
  std::string name;
  std::string chosen;          // of several candidates the one with the lowest mean regret
  std::vector<double> losses;  // [N] total loss on each sequence
  // [N] of the same weights on the losses before they were clipped; empty where these are not known
  std::vector<double> unclipped_losses{};
};

struct Tournament {
  std::vector<double> oracle;      // [N] loss of the exact switching oracle
  std::vector<double> generating;  // [N] loss of the path that generated the sequence
  // [N] of the oracle on the losses before they were clipped; empty where these are not known
  std::vector<double> unclipped_oracle;
  std::vector<Entry> entries;  // in the order of contenders; the limit, where there is one, last
  // [N] the best Fixed Share of the grid for each single sequence: what no constant rates can beat.
  // Empty unless fixed-share* played.
  std::vector<double> tuned_per_sequence;
};

// The i-th sequence is that of evaluation_seed(seed, i), whatever plays on it. Throws Error for a
// method or family that does not exist, before any work.
Tournament play_tournament(const TournamentOptions& options);

// What one player loses on one sequence.
double play(std::string_view method, MatrixView losses, TraceSink* sink = nullptr);
double play(std::unique_ptr<Method> method, MatrixView losses, TraceSink* sink = nullptr);
double play(Limit& limit, MatrixView losses);

// dynamic regret: losses - oracle, sequence by sequence.
std::vector<double> minus(const std::vector<double>& losses, const std::vector<double>& oracle);

}  // namespace pcgs::suite
