// One stream of forecasts and outcomes: the step (state, event) -> (state', output).
//
// A step reads no clock, no file and no random number: the same events in the same order give the same
// bytes, wherever the log of them is cut, saved, loaded or replayed, on machines with the same
// instruction set. What was asked before is answered again and changes nothing. What is refused changes
// nothing either, so a log holds the events that were done and no others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "serve/error_record.h"
#include "serve/event.h"
#include "serve/memory.h"

namespace pcgs::stream {

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
  // Since it was made, or since it was loaded from a snapshot of version 1, which had none.
  const ErrorRecord& errors() const { return errors_; }
  std::vector<std::string> open_ids() const { return memory_.open_ids(); }
  std::vector<RecentRound> recent_rounds(std::size_t most) const {
    return memory_.recent_rounds(most);
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
  std::optional<Output> change_answered(const std::string& id, std::uint64_t digest) const;
  void judge(const Remembered& round, double outcome);
  void note_experts();
  bool open_rounds_agree() const;

  StreamSpec spec_;
  std::optional<Aggregator> aggregator_;
  std::shared_ptr<const Names> experts_;  // those of the aggregator
  ErrorRecord errors_;
  Memory memory_;
};

// An aggregator for the specification, as pcgs run makes it. Throws Error if there is none.
Aggregator make_aggregator_of(const StreamSpec& spec);

}  // namespace pcgs::stream
