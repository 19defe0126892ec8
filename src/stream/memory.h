// What a stream has answered, by id: every round that is open, and the last kRemembered things that
// are over. This is what makes asking again safe.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pcgs/state.h"

namespace pcgs::stream {

using Names = std::vector<std::string>;

struct Answer {
  double forecast = 0;                   // NaN: nobody was awake
  std::vector<double> weights;           // [experts] that it was made with; 0 for sleepers
  std::shared_ptr<const Names> experts;  // of that time
};

struct Remembered {
  enum class Kind : std::uint8_t { kOpen, kLearned, kAbandoned, kExpertChange };
  Kind kind = Kind::kOpen;
  std::uint64_t digest = 0;  // of what was asked
  std::int64_t round = 0;    // its number in the aggregator
  double outcome = 0;        // where it is known
  // Of the forecasts of an open round, which a late outcome is judged by; NaN where it is not known.
  double mean = std::numeric_limits<double>::quiet_NaN();
  Answer answer{};  // of a round
};

// A round as it is remembered.
struct RecentRound {
  std::string id;
  Remembered what;
};

class Memory {
 public:
  // Null if it never was, or is forgotten.
  const Remembered* find(const std::string& id) const;
  // An open round, or a change of experts, which is over at once.
  void add(const std::string& id, Remembered what);
  // Requires an open round of this id.
  void close(const std::string& id, Remembered::Kind kind, double outcome = 0);

  std::vector<std::string> open_ids() const;  // in the order of their rounds
  // Those that were opened last, in the order of their opening.
  std::vector<RecentRound> recent_rounds(std::size_t most) const;
  std::size_t size() const { return by_id_.size(); }

  void save(StateWriter& out) const;
  // Snapshots of version 1 have no means of open rounds.
  void load(StateReader& in, std::size_t version);

 private:
  void finish(const std::string& id);
  std::unordered_map<std::string, Remembered> by_id_;
  std::deque<std::string> over_;  // oldest first
};

// Tell requests apart that share an id. The order of forecasts must not depend on the sender.
std::uint64_t digest_of(const std::vector<std::pair<std::string, double>>& forecasts);
std::uint64_t digest_of(std::string_view kind, std::string_view name);

}  // namespace pcgs::stream
