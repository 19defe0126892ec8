// What a stream has answered, by id: every round that is open, and the last kRemembered things that are
// over. This is what makes asking again safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pcgs/state.h"

namespace pcgs::serve {

// Closed rounds, and changes of experts, whose answers are still known. An id that was closed longer
// ago is taken for a new one.
inline constexpr std::size_t kRemembered = 1000;

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
};

// What is over and still remembered, packed.
//
// A stream remembers a thousand of them, and these bytes decide how many streams fit into memory. So
// there is no node, no pointer and no vector for each: they lie in blocks of 64, which are forgotten as a
// whole, one array for each field. A search for an id reads 4 bytes of each, its hash, and the id where
// that is the same.
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
    std::array<std::uint32_t, kBlock> hashes{};  // of ids
    std::array<std::uint32_t, kBlock> ends{};    // of ids, in `ids`
    std::vector<Remembered> what{};
    std::string ids{};
    std::shared_ptr<const Names> experts{};  // of its rounds; null while it has none
    std::vector<double> weights{};           // [what, experts]; those of changes are not used

    std::string_view id(std::size_t i) const;
    Answer answer(std::size_t i) const;
  };
  struct Place {
    const Block* block;
    std::size_t record;
  };
  std::optional<Place> place_of(std::string_view id) const;
  Block& block_for(const Answer& answer);

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

  // An id that is not there, and an open round; `mean` of its forecasts, NaN where there was none.
  void open(const std::string& id, const Remembered& what, double mean, Answer answer);
  // Of an open round of this id.
  double mean(const std::string& id) const { return open_.at(id).mean; }
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
    double mean;
    Answer answer;
  };
  std::unordered_map<std::string, Open> open_;
  ClosedRounds closed_;
};

// Fields of a state file, said once for writing and for reading.
struct Writing {
  StateWriter& out;
  void operator()(const std::string& text) { out.text(text); }
  void operator()(double number) { out.f64(number); }
  void operator()(std::uint64_t number) { out.u64(number); }
  template <class First, class Second>
  void operator()(const std::pair<First, Second>& both) {
    (*this)(both.first);
    (*this)(both.second);
  }
  template <class Item>
  void operator()(const std::vector<Item>& list) {
    out.u64(list.size());
    for (const Item& item : list) (*this)(item);
  }
};
struct Reading {
  StateReader& in;
  void operator()(std::string& text) { text = in.text(); }
  void operator()(double& number) { number = in.f64(); }
  void operator()(std::uint64_t& number) { number = in.u64(); }
  template <class First, class Second>
  void operator()(std::pair<First, Second>& both) {
    (*this)(both.first);
    (*this)(both.second);
  }
  template <class Item>
  void operator()(std::vector<Item>& list) {
    list.resize(in.count(sizeof(std::uint64_t)));
    for (Item& item : list) (*this)(item);
  }
};

// Tells rounds apart that share an id. The order of forecasts must not depend on the sender.
std::uint64_t digest_of(const std::vector<std::pair<std::string, double>>& forecasts);

}  // namespace pcgs::serve
