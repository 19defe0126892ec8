// What is over and still remembered of a stream, packed: rounds that were closed, and changes of
// experts.
//
// A stream remembers a thousand of them, and these bytes decide how many streams fit into memory. So
// there is no node, no pointer and no vector for each. Records lie one behind the other in blocks of
// 64, which are forgotten as a whole:
//
//     u8 kind, u32 size of the id, id, u64 digest
//     and of a round: i64 number, f64 outcome, f64 forecast, f64 weights [experts of the block]
//
// Whoever looks for an id reads 4 bytes of each, its hash, and the record where that is the same.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "serve/remembered.h"

namespace pcgs::stream {

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

}  // namespace pcgs::stream
