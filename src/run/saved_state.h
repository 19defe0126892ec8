// What a run saves and the next one resumes from: states, each with a note about what was learned, of
// one series or of several in one file.
//
// One series without a name is saved as an Aggregator is, so that every door loads it. Several are
// saved together as a state file (pcgs/state.h) that holds the names of the columns that tell them
// apart and, for each, its values of these and the bytes of its state. A panel of quantiles is one
// state for all of its series.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pcgs/aggregator.h"
#include "pcgs/quantiles.h"
#include "run/clock.h"

namespace pcgs::compare {

// So that the next run can tell whether it resumes the same thing.
struct RunNote {
  std::string method;          // as the user wrote it: what columns are called
  std::string outcome;         // the column that was forecast; empty: losses
  std::string scale;           // of losses, as the user wrote it
  std::optional<Clock> clock;  // where there were times

  bool operator==(const RunNote&) const = default;
};

void leave_note(Aggregator& aggregator, const RunNote& note);
// None where the state was saved by something else than a run. Throws Error for a note that is
// damaged; `origin` is the file.
std::optional<RunNote> find_note(const Aggregator& aggregator, const std::string& origin);

// The same of quantiles: which rows are new, and which outcomes are still waited for.
struct LevelNote {
  // A round that is open.
  struct Open {
    std::int64_t round = 0;  // the panel's number
    double time = 0, known = 0;
    bool operator==(const Open&) const = default;
  };

  std::string time, known, outcome;  // columns, as in QuantileProblem
  std::vector<std::string> by;
  double last = 0;  // the last time whose rounds were opened
  std::string last_text;
  std::vector<Open> open;  // in the order of opening

  bool operator==(const LevelNote&) const = default;
};

void leave_note(QuantilePanel& panel, const LevelNote& note);
// Throws Error for a panel that no run saved, or whose note is damaged; `origin` is the file.
LevelNote find_note(const QuantilePanel& panel, const std::string& origin);

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

}  // namespace pcgs::compare
