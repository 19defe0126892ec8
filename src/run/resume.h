// What a run saves, and how the next one resumes from it: states, each with a note about what was
// learned, of one series or of several in one file.
//
// One series without a name is saved as an Aggregator is, so that every door loads it. Several are
// saved together as a state file (pcgs/state.h) that holds the names of the columns that tell them
// apart and, for each, its values of these and the bytes of its state. A panel of quantiles is one
// state for all of its series.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/error.h"
#include "pcgs/quantiles.h"
#include "pcgs/run.h"
#include "run/clock.h"

namespace pcgs::compare {

// ---- Notes --------------------------------------------------------------------------------------

// So that the next run can tell whether it resumes the same thing.
struct RunNote {
  // A round of quantiles whose outcome is still waited for.
  struct Open {
    std::int64_t round = 0;  // the panel's number
    double time = 0, known = 0;
    bool operator==(const Open&) const = default;
  };

  std::string method;          // as the user wrote it: what columns are called
  std::string outcome;         // the column that was forecast; empty: losses
  std::string scale;           // of losses, as the user wrote it
  std::optional<Clock> clock;  // where there were times; of quantiles, the last that was opened
  // Of quantiles.
  std::string time{}, known{};  // columns
  std::vector<std::string> by{};
  std::vector<Open> open{};  // in the order of opening

  bool operator==(const RunNote&) const = default;
};

// What an aggregator or a panel keeps.
std::string text_of(const RunNote& note);
// None where something else than a run left it. Throws Error for a note that is damaged; `origin` is
// the file.
std::optional<RunNote> note_of(const std::string& text, const std::string& origin);

template <class Player>
void leave_note(Player& player, const RunNote& note) {
  player.set_note(text_of(note));
}
template <class Player>
std::optional<RunNote> find_note(const Player& player, const std::string& origin) {
  return note_of(player.note(), origin);
}

// ---- Files --------------------------------------------------------------------------------------

class SeriesStates {
 public:
  using Key = std::vector<std::string>;
  using Bytes = std::vector<std::uint8_t>;

  // What tells the series apart; empty: there is one.
  explicit SeriesStates(std::vector<std::string> by = {}) : by_(std::move(by)) {}
  // Throws Error; `origin` is the file.
  static SeriesStates parse(std::span<const std::uint8_t> file, const std::string& origin);

  const std::vector<std::string>& by() const { return by_; }
  std::size_t size() const { return states_.size(); }
  const std::map<Key, Bytes>& all() const { return states_; }
  const Bytes* find(const Key& key) const;  // null if there is none
  void put(Key key, Bytes state) { states_[std::move(key)] = std::move(state); }

  // The file's bytes.
  Bytes file() const;

 private:
  std::vector<std::string> by_;
  std::map<Key, Bytes> states_;
};

// ---- Resuming -----------------------------------------------------------------------------------

// What does not go with a state; `field` of the request may be empty.
template <class... Args>
[[noreturn]] void refuse_state(const std::string& state, const char* field,
                               fmt::format_string<Args...> why, Args&&... args) {
  throw Error(ErrorKind::kMismatch, {.file = state, .field = field},
              fmt::format(why, std::forward<Args>(args)...));
}

struct Resumed {
  Aggregator aggregator;
  std::optional<RunNote> before;
  std::size_t skipped = 0;                             // rounds that had been learned already
  std::vector<std::string> came{}, missing{}, left{};  // experts, since the state was saved

  const Clock* clock() const { return before && before->clock ? &*before->clock : nullptr; }
};

// Leaves out the rounds that were learned before, if the request allows it, and says how many: an Error
// otherwise.
std::size_t drop_learned(Problem& problem, const Clock& before, const Request& request);

enum class Experts : std::uint8_t {
  kSame,
  // They may come, be missing and stand in another order: the state is changed, and the problem put
  // in its order. Whoever is missing sleeps, or leaves where losses are given, which nobody can sleep
  // in. At least one must be there.
  kMayChange,
};

// Loads a state for a problem, which gets its task and its scale and loses the rounds that were learned
// already. Throws Error where the state and what the request says do not belong together.
Resumed resume(std::span<const std::uint8_t> state, Problem& problem, const Request& request,
               Experts experts);

// The note of a panel that goes on with the problem; throws Error for another one.
RunNote resumed_note(const QuantilePanel& panel, const QuantileProblem& problem,
                     const std::string& origin);

}  // namespace pcgs::compare
