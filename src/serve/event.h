// What can happen to a stream. Every event but the first has an id that makes it safe to send again.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pcgs/error.h"
#include "pcgs/state.h"

namespace pcgs::serve {

// What one stream may hold. Constants, so that a log of events means the same whenever it is replayed.
inline constexpr std::size_t kLongestName = 100;      // bytes, of a stream or an expert
inline constexpr std::size_t kLongestId = 200;        // bytes
inline constexpr std::size_t kMostExperts = 200;      // of one stream
inline constexpr std::size_t kMostOpenRounds = 1000;  // of one stream
inline constexpr std::size_t kLongestSeason = 20000;  // rounds
inline constexpr std::size_t kLongestMethod = 300;    // bytes
// Closed rounds, and changes of experts, whose answers are still known. An id that was closed longer
// ago is taken for a new one.
inline constexpr std::size_t kRemembered = 1000;

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

// Fields that events and snapshots share.
void put_spec(StateWriter& out, const StreamSpec& spec);
StreamSpec take_spec(StateReader& in);
void put_texts(StateWriter& out, std::span<const std::string> texts);
std::vector<std::string> take_texts(StateReader& in);
// A whole state file as a string.
std::string file_text(const StateWriter& out, std::uint64_t architecture);
std::span<const std::uint8_t> bytes_of(std::string_view text);

}  // namespace pcgs::serve
