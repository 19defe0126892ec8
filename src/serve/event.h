// What can happen to a stream. Every event but the first has an id that makes it safe to send again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pcgs::stream {

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

// Forecasts of those that are awake, sorted by name.
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
  std::string id;
  std::string name;
};

struct ExpertRemoved {
  std::string id;
  std::string name;
};

// Logs hold their place in this list: a new kind goes to the end.
using Event =
    std::variant<Made, RoundOpened, OutcomeSeen, RoundAbandoned, ExpertAdded, ExpertRemoved>;

// As a state file (state.h), so that what is damaged is refused.
std::string event_bytes(const Event& event);
// Throws Error, naming the origin.
Event event_from(std::string_view bytes, const std::string& origin);

}  // namespace pcgs::stream
