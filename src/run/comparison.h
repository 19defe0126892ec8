// Plays methods on a problem, and measures them against the switching oracle where that is asked for.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/certificates.h"
#include "pcgs/run.h"
#include "pcgs/trace.h"
#include "run/hindsight.h"

namespace pcgs::compare {

// Switch budgets where regret is asked for and nobody names any.
inline constexpr std::array<std::size_t, 3> kUsualSwitches = {5, 10, 20};

struct ComparisonOptions {
  std::vector<std::string> methods;
  std::vector<std::string> called{};    // [methods] as the user wrote them; empty: as they are
  std::vector<std::string> shown_as{};  // [methods] their names in the result, "" for the usual
  // Budgets of the oracle; empty: nothing is measured against it.
  std::vector<std::size_t> switches;
  std::optional<double> switch_cost{};  // in units of the losses that methods learn from
  // Told now and then how many more of rounds_to_play() have been played; may be empty. May throw,
  // which ends the work.
  std::function<void(std::size_t rounds)> advance;
  std::vector<RunObserver*> observers{};
  std::size_t stretches = 0;       // of the hindsight that observers get
  bool certify_forecasts = false;  // of methods that do and are not of the share form
  // Around the forecasts of the last method, if it can be played.
  std::optional<IntervalOptions> intervals{};
  bool keep_weights = false;  // of the last method
};

// The aggregator that plays a method on this problem, before its first round.
Aggregator make_player(const Problem& problem, const std::string& method, bool certify = false,
                       std::optional<IntervalOptions> intervals = {});

// Over all methods and candidates.
std::size_t rounds_to_play(const Problem& problem, const ComparisonOptions& options);

// Each method plays once, before all observers at once; of a starred one each candidate does, and where
// there is somebody to watch the best once more. The oracle is swept once, and only where it is asked
// for.
//
// `from`, if given, plays the last method from where it is, with intervals or without; it is left as it
// ends. Losses are those of the rounds played here.
Comparison play_methods(const Problem& problem, const ComparisonOptions& options,
                        Aggregator* from = nullptr);

}  // namespace pcgs::compare
