// One stream of forecasts and outcomes: the step (state, event) -> (state', output).
//
// A step reads no clock, no file and no random number: the same events in the same order give the same
// bytes, wherever the log of them is cut, saved, loaded or replayed, on machines with the same
// instruction set. What was asked before is answered again and changes nothing. What is refused changes
// nothing either, so a log holds the events that were done and no others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/losses.h"
#include "pcgs/state.h"
#include "serve/answered_rounds.h"
#include "serve/event.h"

namespace pcgs::serve {

// How the forecasts that a stream published have done beside equal weights, the plain mean of the forecasts
// that were there, over the rounds that it has learned.
class ErrorRecord {
 public:
  // Both forecasts as they were when the round was opened; neither is NaN.
  void add(const TaskLoss& task, double published, double mean, double outcome);

  std::uint64_t rounds() const { return rounds_; }
  // What the task pays for: the root of the mean squared error for squared loss, else the mean loss.
  // Nothing before the first round, and where it is beyond what a sum of losses can say.
  std::optional<double> combination(const TaskLoss& task) const;
  std::optional<double> equal_weights(const TaskLoss& task) const;
  // Below 1: the combination is better. Nothing where either has no error, or equal weights had one of 0.
  std::optional<double> ratio(const TaskLoss& task) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  std::optional<double> measure(const TaskLoss& task, double sum) const;

  std::uint64_t rounds_ = 0;
  // Sums of losses. The largest double stands for whatever is beyond it.
  double combination_ = 0, equal_weights_ = 0;
};

enum class Verdict : std::uint8_t {
  kDone,      // the state has changed
  kRepeated,  // it had been done before
  kInvalid,   // what was sent cannot be used
  kUnknown,   // no such stream or round
  kConflict,  // the same id or name was used with something else
  kTooMany,   // a limit is reached
  kDamaged,   // the store lost something of this stream
};

struct Output {
  Verdict verdict = Verdict::kDone;
  std::string why{};               // a sentence, unless it is done or repeated
  std::optional<Answer> answer{};  // to a round
  bool accepted() const { return verdict == Verdict::kDone || verdict == Verdict::kRepeated; }
};

class Stream {
 public:
  Stream() = default;  // before it is made

  Output step(const Event& event);

  bool made() const { return aggregator_.has_value(); }
  // The rest is for streams that are made.
  const StreamSpec& spec() const { return spec_; }
  const Aggregator& aggregator() const { return *aggregator_; }
  const ErrorRecord& errors() const { return errors_; }
  std::vector<std::string> open_ids() const { return answered_.open_ids(); }
  std::vector<RecentRound> recent_rounds(std::size_t most) const {
    return answered_.recent_rounds(most);
  }

  std::string save() const;
  // Throws Error, naming the origin.
  static Stream load(std::string_view bytes, const std::string& origin);

 private:
  Output apply(const Made& event);
  Output apply(const RoundOpened& event);
  Output apply(const OutcomeSeen& event);
  Output apply(const RoundAbandoned& event);
  Output apply(const ExpertAdded& event);
  Output apply(const ExpertRemoved& event);
  template <class Change>
  Output change_experts(const std::string& id, std::uint64_t digest, const Change& change);
  void judge(const Remembered& round, double outcome);
  void note_experts();
  bool open_rounds_agree() const;

  StreamSpec spec_;
  std::optional<Aggregator> aggregator_;
  std::shared_ptr<const Names> experts_;  // those of the aggregator
  ErrorRecord errors_;
  AnsweredRounds answered_;
};

// An aggregator for the specification, as pcgs run makes it. Throws Error if there is none.
Aggregator make_aggregator_of(const StreamSpec& spec);

}  // namespace pcgs::serve
