// A run that resumes from where an earlier one stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "run/problem.h"
#include "run/saved_state.h"

namespace pcgs::compare {

// What the user says about the run that resumes; it must agree with the one before.
struct ResumeRules {
  std::string state;                                  // the file, for messages
  std::string outcome;                                // what was forecast; empty: losses
  std::optional<TaskLoss> task;                       // if given
  std::string scale;                                  // as the user wrote it, if given
  std::vector<double> levels{};                       // of intervals, if given
  std::string method{};                               // as the user wrote it, if given
  std::optional<std::vector<std::size_t>> seasons{};  // if given
  std::string model{};                                // if given
  bool skip_learned = false;  // rounds that were learned already are left out; else an Error
  // Experts may come, be missing and stand in another order: the state is changed, and the problem put
  // in its order. Whoever is missing sleeps, or leaves where losses are given, which nobody can sleep
  // in. At least one must be there. Otherwise an Error.
  bool experts_may_change = false;
  std::vector<std::string> drop{};  // experts that leave for good, if the state has them
};

struct Resumed {
  Aggregator aggregator;
  std::optional<RunNote> before;
  std::size_t skipped = 0;                             // rounds that had been learned already
  std::vector<std::string> came{}, missing{}, left{};  // experts, since the state was saved

  const Clock* clock() const { return before && before->clock ? &*before->clock : nullptr; }
};

// Leaves out the rounds that were learned before, if the rules allow it, and says how many: an Error
// otherwise.
std::size_t drop_learned(Problem& problem, const Clock& before, const ResumeRules& rules);

// Loads a state for a problem, which gets its task and its scale and loses the rounds that were learned
// already. Throws Error where the two do not belong together.
Resumed resume(std::span<const std::uint8_t> state, Problem& problem, const ResumeRules& rules);

// Throws Error unless the problem goes on with what the panel has learned.
void check_resumes(const QuantileProblem& problem, const QuantilePanel& panel,
                   const LevelNote& note, const std::string& origin);

}  // namespace pcgs::compare
