// One stream of forecasts and outcomes: the step (state, event) -> (state', output).
//
// A step reads no clock, no file and no random number: the same events in the same order give the same
// bytes, wherever the log of them is cut, saved, loaded or replayed, on machines with the same
// instruction set. What was asked before is answered again and changes nothing. What is refused changes
// nothing either, so a log holds the events that were done and no others.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/error.h"
#include "pcgs/losses.h"
#include "pcgs/state.h"
#include "serve/answered_rounds.h"

namespace pcgs::serve {

// What one stream may hold. Constants, so that a log of events means the same whenever it is replayed.
inline constexpr std::size_t kLongestName = 100;      // bytes, of a stream or an expert
inline constexpr std::size_t kLongestId = 200;        // bytes
inline constexpr std::size_t kMostExperts = 200;      // of one stream
inline constexpr std::size_t kMostOpenRounds = 1000;  // of one stream
inline constexpr std::size_t kLongestSeason = 20000;  // rounds
inline constexpr std::size_t kLongestMethod = 300;    // bytes

// How a stream combines. Equal specifications make equal streams.
struct StreamSpec {
  std::vector<std::string> experts;    // when it is made; later ones come and go
  std::string loss = "squared";        // a name of TaskLoss
  double tau = 0.5;                    // of pinball
  std::vector<std::size_t> seasons{};  // rounds, shortest first, at most two
  std::string method;                  // as registry.h reads it
  bool operator==(const StreamSpec&) const = default;
};

struct Made {
  StreamSpec spec;
};

// Forecasts of the experts that have one, sorted by name.
struct RoundOpened {
  std::string id;
  std::vector<std::pair<std::string, double>> forecasts;
};

struct OutcomeSeen {
  std::string id;
  double y = 0;
};

// The outcome will never come.
struct RoundAbandoned {
  std::string id;
};

struct ExpertAdded {
  std::string id, name;
};

struct ExpertRemoved {
  std::string id, name;
};

// Logs hold their place in this list: a new kind goes to the end.
using Event =
    std::variant<Made, RoundOpened, OutcomeSeen, RoundAbandoned, ExpertAdded, ExpertRemoved>;

// How whoever sends events names an option of the library: as a field of JSON.
const Wording& field_wording();

// Throws Error of this kind about a file, a folder or a topic.
template <class... Values>
[[noreturn]] void fail_about(ErrorKind kind, const std::string& file,
                             fmt::format_string<Values...> sentence, Values&&... values) {
  throw Error(kind, {.file = file}, fmt::format(sentence, std::forward<Values>(values)...));
}

// As a state file (state.h), so that what is damaged is refused.
std::string event_bytes(const Event& event);
// Throws Error, naming the origin.
Event event_from(std::string_view bytes, const std::string& origin);

// A whole state file of something, such as "an event of a stream", and its reader, which throws Error for
// one of something else, naming the origin.
std::string file_text(const StateWriter& out, std::string_view something);
StateReader reader_of(std::string_view bytes, const std::string& origin,
                      std::string_view something);

// How the forecasts that a stream published have done beside equal weights, the plain mean of the forecasts
// that were there, over the rounds that it has learned. What the task pays for: the root of the mean
// squared error for squared loss, else the mean loss; nothing where that is beyond what a sum of losses
// can say.
struct StreamErrors {
  std::uint64_t rounds = 0;
  std::optional<double> combination{}, equal_weights{};
  // Below 1: the combination is better. Nothing where either has no error, or equal weights had one of 0.
  std::optional<double> ratio{};
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
  std::optional<StreamErrors> errors() const;  // nothing before the first round is learned
  const AnsweredRounds& answered() const { return answered_; }

  std::string save() const;
  // Throws Error, naming the origin.
  static Stream load(std::string_view bytes, const std::string& origin);

 private:
  Output apply(const Made& event);
  Output apply(const RoundOpened& event);
  Output apply(const OutcomeSeen& event) { return close(event.id, event.y); }
  Output apply(const RoundAbandoned& event) { return close(event.id, {}); }
  Output apply(const ExpertAdded& event) { return change_experts(event.id, event.name, true); }
  Output apply(const ExpertRemoved& event) { return change_experts(event.id, event.name, false); }
  Output close(const std::string& id, std::optional<double> outcome);
  Output change_experts(const std::string& id, const std::string& name, bool adds);
  void judge(double published, double mean, double outcome);
  void note_experts();
  bool open_rounds_agree() const;

  StreamSpec spec_;
  std::optional<Aggregator> aggregator_;
  std::shared_ptr<const Names> experts_;  // those of the aggregator
  std::uint64_t judged_ = 0;              // rounds
  // Of published forecasts and of plain means. The largest double stands for whatever is beyond it.
  double losses_ = 0, losses_of_mean_ = 0;
  AnsweredRounds answered_;
};

// An aggregator for the specification, as pcgs run makes it. Throws Error if there is none.
Aggregator make_aggregator_of(const StreamSpec& spec);

}  // namespace pcgs::serve
