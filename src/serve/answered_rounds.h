// What a stream has answered, by id: every round that is open, and the last kRemembered things that are
// over. This is what makes asking again safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pcgs/state.h"

namespace pcgs::serve {

using Names = std::vector<std::string>;

struct Answer {
  double forecast = 0;                   // NaN: every forecast was missing
  std::vector<double> weights;           // [experts] that it was made with; 0 where one was missing
  std::shared_ptr<const Names> experts;  // of that time
};

// What is remembered of a round, or of a change of experts.
struct Remembered {
  enum class Kind : std::uint8_t { kOpen, kLearned, kAbandoned, kExpertChange };
  Kind kind = Kind::kOpen;
  std::uint64_t digest = 0;  // of what was asked
  std::int64_t round = 0;    // its number in the aggregator
  double outcome = 0;        // where it is known
  double forecast = 0;       // that was answered
  // Of the forecasts of an open round, which is judged with its outcome; NaN where there was none.
  double mean = std::numeric_limits<double>::quiet_NaN();
};

// What is over and still remembered, packed: rounds that were closed, and changes of experts.
//
// A stream remembers a thousand of them, and these bytes decide how many streams fit into memory. So
// there is no node, no pointer and no vector for each. Records lie one behind the other in blocks of
// 64, which are forgotten as a whole:
//
//     u8 kind, u32 size of the id, id, u64 digest
//     and of a round: i64 number, f64 outcome, f64 forecast, f64 weights [experts of the block]
//
// A search for an id reads 4 bytes of each, its hash, and the record where that is the same.
class ClosedRounds {
 public:
  // Not an open round. An id that is not there. Beyond kRemembered, the oldest is forgotten.
  void add(std::string_view id, const Remembered& what, const Answer& answer);

  std::optional<Remembered> find(std::string_view id) const;
  // Requires a round of this id.
  Answer answer(std::string_view id) const;
  std::size_t size() const { return size_; }

  // Oldest first. A change of experts has no answer.
  using Use = std::function<void(std::string_view id, const Remembered&, const Answer&)>;
  void each(const Use& use) const;

 private:
  static constexpr std::size_t kBlock = 64;
  struct Block {
    std::size_t count = 0;
    std::array<std::uint32_t, kBlock> hashes{};  // of ids
    std::array<std::uint32_t, kBlock> begins{};  // of records, in `bytes`
    std::shared_ptr<const Names> experts{};      // of its rounds; null while it has none
    std::string bytes{};
  };
  struct Place {
    const Block* block;
    std::size_t record;
  };
  std::optional<Place> place_of(std::string_view id) const;
  Block& block_for(const Answer& answer);
  void forget_oldest();

  std::deque<Block> blocks_;   // oldest first
  std::size_t forgotten_ = 0;  // records at the beginning of the first
  std::size_t size_ = 0;
};

// A round as it is remembered.
struct RecentRound {
  std::string id;
  Remembered what;
  Answer answer;
};

class AnsweredRounds {
 public:
  // Nothing if it never was, or is forgotten.
  std::optional<Remembered> find(const std::string& id) const;
  // Requires a round of this id.
  Answer answer(const std::string& id) const;

  // An id that is not there, and an open round.
  void open(const std::string& id, const Remembered& what, Answer answer);
  // An id that is not there. A change of experts is over at once.
  void add_change(const std::string& id, std::uint64_t digest);
  // Requires an open round of this id.
  void close(const std::string& id, Remembered::Kind kind, double outcome = 0);

  std::vector<std::string> open_ids() const;  // in the order of their rounds
  // Those that were opened last, in the order of their opening.
  std::vector<RecentRound> recent_rounds(std::size_t most) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Open {
    Remembered what;
    Answer answer;
  };
  std::unordered_map<std::string, Open> open_;
  ClosedRounds closed_;
};

// Tell requests apart that share an id. The order of forecasts must not depend on the sender.
std::uint64_t digest_of(const std::vector<std::pair<std::string, double>>& forecasts);
std::uint64_t digest_of(std::string_view kind, std::string_view name);

}  // namespace pcgs::serve
