// Plays methods on a problem and measures them against the switching oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/problem.h"
#include "pcgs/aggregator.h"
#include "pcgs/certify.h"
#include "pcgs/trace.h"

namespace pcgs::compare {

struct MethodResult {
  std::string name;    // as the user wrote it
  std::string chosen;  // for a starred method, the best candidate's name; otherwise empty
  double total_loss = 0;
  std::optional<double> mean_forecast_loss;  // raw, of the combined forecast
  std::vector<double> regret;                // [switch budgets]
  // Against the best path of any number of switches, unless one is named below; none for methods
  // that carry none.
  std::optional<Certificate> certificate;
  bool weighted_certificate = false;  // by eta, which changed
  // [0 to the largest budget] for methods that bring a bound of their own, else empty. Their
  // certificate is against the oracle with `certified_switches`.
  std::vector<double> switching_bounds;
  std::optional<std::size_t> certified_switches;
  double ns_per_round = 0;
  std::vector<double> next_weights;  // [K] what it would play next
  std::vector<double> forecasts;     // [T] combined; empty when there are none
};

struct Comparison {
  std::size_t rounds = 0;
  std::size_t skipped = 0;  // rounds with nobody awake
  double scale = 1;         // what raw losses would be divided by next
  std::vector<std::size_t> switches;
  std::vector<double> oracle;   // [switch budgets]; infinite where no path stays awake
  std::size_t best_expert = 0;  // lowest total loss
  double best_expert_loss = 0;
  std::vector<MethodResult> methods;
};

struct ComparisonOptions {
  std::vector<std::string> methods;
  std::vector<std::size_t> switches;
  // Told now and then how many more of rounds_to_play() have been played; may be empty. May throw,
  // which ends the work.
  std::function<void(std::size_t rounds)> advance;
  // Asked for each method that is played; may be empty or return null. Not asked for the candidates
  // of starred methods.
  std::function<std::unique_ptr<TraceSink>(const std::string& name)> sink;
};

// Every registered method, and the starred ones.
std::vector<std::string> all_methods();
// The methods that a user's --method names ("all", or a list; empty for the default), with the
// weights of --model, if one is given, in the place of pcgs-tf's.
std::vector<std::string> methods_from(const std::string& list, const std::string& model);
// Throws Error for a method that does not exist, that is named twice, or that needs another number
// of side information than `side` numbers a round.
void check_methods(const std::vector<std::string>& methods, std::size_t experts, std::size_t side);

// The aggregator that plays a method on this problem, before its first round.
Aggregator make_player(const Problem& problem, const std::string& method, bool certify = false);
// Plays every round from where the aggregator is, and writes the combined forecasts, if there are
// any.
void play_rounds(const Problem& problem, Aggregator& aggregator, std::vector<double>& forecasts,
                 const std::function<void(std::size_t)>& advance = {});

// Over all methods and candidates.
std::size_t rounds_to_play(const Problem& problem, const ComparisonOptions& options);

Comparison play_methods(const Problem& problem, const ComparisonOptions& options);

// The same for the only method of the options, going on from where the aggregator is, which is left
// as it ends.
Comparison play_from(const Problem& problem, const ComparisonOptions& options,
                     Aggregator& aggregator);

// For people; results/run_result.h has the face for programs.
std::string comparison_table(const Problem& problem, const Comparison& comparison);

}  // namespace pcgs::compare
