// What a stream has answered, by id: every round that is open, and the last kRemembered things that
// are over. This is what makes asking again safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pcgs/state.h"
#include "serve/closed_rounds.h"
#include "serve/remembered.h"

namespace pcgs::stream {

// A round as it is remembered.
struct RecentRound {
  std::string id;
  Remembered what;
  Answer answer;
};

class Memory {
 public:
  // None if it never was, or is forgotten.
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
  // Snapshots of version 1 have no means of open rounds.
  void load(StateReader& in, std::size_t version);

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

}  // namespace pcgs::stream
