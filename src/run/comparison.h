// Plays methods on a problem and measures them against the switching oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/certificates.h"
#include "pcgs/trace.h"
#include "run/hindsight.h"
#include "run/interval_record.h"
#include "run/problem.h"

namespace pcgs::compare {

struct MethodResult {
  std::string name;    // as the user wrote it
  std::string chosen;  // for a starred method, the best candidate's name; otherwise empty
  std::string full{};  // with what follows from other options, such as seasons; empty: as the name
  double total_loss = 0;
  std::optional<double> mean_forecast_loss;  // raw, of the combined forecast; may be infinite
  // Of the combined forecast, divided and capped as those of the experts are: what can be compared
  // with the oracle. Never above total_loss, by convexity, where nothing is capped or bent.
  std::optional<double> total_forecast_loss;
  std::vector<double> regret;  // [switch budgets] of total_loss
  // Before losses were divided and capped, in their own units: of the combined forecast where there
  // is one, else of the weights. None where losses came in [0,1]; may be infinite.
  std::optional<double> unclipped_loss{};
  // Of the weights, in units of one expert's whole weight; where switches cost something.
  std::optional<double> movement{};
  // Against the best path of any number of switches, or, for methods that bring a bound of their
  // own, against the oracle with `certified_switches`; none for methods that carry none.
  std::optional<Certificate> certificate;
  bool weighted_certificate = false;  // by eta, which changed
  std::optional<std::size_t> certified_switches;
  double ns_per_round = 0;
  std::vector<double> next_weights;           // [K] what it would play next
  std::vector<double> forecasts;              // [T] combined; empty when there are none
  std::optional<IntervalRecord> intervals{};  // where they were asked for
  Matrix weights{};                           // [T x K] as played, where they were asked for

  // What can be played.
  const std::string& spec() const { return !chosen.empty() ? chosen : full.empty() ? name : full; }
};

// The best paths where every switch costs something.
struct SwitchCosts {
  double cost = 0;
  std::vector<double> oracle;  // [switch budgets] with costs; infinite where no path stays awake
  double unlimited = 0;        // the same with as many switches as pay
  std::size_t unlimited_switches = 0;
};

struct Comparison {
  std::size_t rounds = 0;
  std::size_t skipped = 0;  // rounds with nobody awake
  double scale = 1;         // what raw losses would be divided by next
  std::vector<std::size_t> switches;
  std::vector<double> oracle;  // [switch budgets]; infinite where no path stays awake
  // [switch budgets] on the losses before they were divided and capped; empty where they came in
  // [0,1].
  std::vector<double> unclipped_oracle{};
  std::optional<SwitchCosts> switch_costs{};  // where they were asked for
  std::size_t best_expert = 0;                // lowest total loss
  double best_expert_loss = 0;
  std::vector<MethodResult> methods;
};

// Watches methods play once more, after the pass that is timed.
class Observer {
 public:
  virtual ~Observer() = default;
  // A method is about to play from where `player` is; all three stay until end(). Null if this
  // method is of no interest.
  virtual TraceSink* begin(const MethodResult& method, const Aggregator& player,
                           const Hindsight& hindsight) = 0;
  // It has played to the end. Called wherever begin() was.
  virtual void end() {}
};

struct ComparisonOptions {
  std::vector<std::string> methods;
  std::vector<std::string> called{};    // [methods] as the user wrote them; empty: as they are
  std::vector<std::string> shown_as{};  // [methods] their names in the result, "" for the usual
  std::vector<std::size_t> switches;
  std::optional<double> switch_cost{};  // in units of the losses that methods learn from
  // Told now and then how many more of rounds_to_play() have been played; may be empty. May throw,
  // which ends the work.
  std::function<void(std::size_t rounds)> advance;
  std::vector<Observer*> observers{};
  std::size_t stretches = 0;       // of the hindsight that observers get
  bool certify_forecasts = false;  // of methods that do and are not of the share form
  // Around the forecasts of the last method, if it can be played.
  std::optional<IntervalOptions> intervals{};
  bool keep_weights = false;  // of the last method, if it can be played
};

// The aggregator that plays a method on this problem, before its first round.
Aggregator make_player(const Problem& problem, const std::string& method, bool certify = false,
                       std::optional<IntervalOptions> intervals = {});

// Over all methods and candidates, both passes.
std::size_t rounds_to_play(const Problem& problem, const ComparisonOptions& options);

// Each method plays once bare, which is timed; of a starred one each candidate does. Where there is
// something to prove, to observe or to put intervals around, the method (the best candidate) plays
// once more, before all observers at once. The oracle is swept once.
//
// `from`, if given, is where the only method goes on, with intervals or without; it is left as it
// ends.
Comparison play_methods(const Problem& problem, const ComparisonOptions& options,
                        Aggregator* from = nullptr);

// One pass by an aggregator that is left as it ends: its forecasts, weights and intervals, and how long
// that took. Measured against nobody.
MethodResult play_once(const Problem& problem, Aggregator& aggregator,
                       const std::function<void(std::size_t)>& advance = {});

// [T x K] what a method played in each round: the weights alone, from a pass of their own.
Matrix weights_of(const Problem& problem, const MethodResult& method,
                  const std::function<void(std::size_t)>& advance = {});

// The second pass alone, for methods that were compared earlier.
void observe_methods(const Problem& problem, const Comparison& comparison,
                     const std::vector<Observer*>& observers, std::size_t stretches);

}  // namespace pcgs::compare
