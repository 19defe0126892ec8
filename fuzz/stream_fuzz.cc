// Any bytes as what the service reads: heads of requests, lines of /events, logged events, snapshots. Each is
// taken or refused with an Error. Whatever a stream has taken, it goes on: it answers, is asked again, and saves
// a snapshot that loads to the same bytes.
//
//     byte 0   mode: 0 head, 1 lines, 2 event, 3 payload of events, 4 edits of events, 5 snapshot, 6 payload
//              of a snapshot, 7 edits of a snapshot
//     rest     head:    a request
//              lines:   of /events, which make a stream and play it
//              event, snapshot: the whole file
//              payload: frame and checksum are put around it
//              edits:   4 bytes each, made on what was really saved, which is then framed (edited_state.h)
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/invariant.h"
#include "data/json.h"
#include "edited_state.h"
#include "pcgs/error.h"
#include "serve/http.h"
#include "serve/service_json.h"
#include "serve/stream.h"

namespace pcgs {
namespace {

using namespace fuzz;
using namespace serve;

// Larger ones take no other path, only longer.
constexpr std::size_t kMostExperts = 8;

std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}
Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

StreamSpec small_spec() { return {.experts = {"a", "b"}, .method = "ml-poly"}; }

// Learned, open, abandoned; with an expert that has come.
std::vector<Event> some_events() {
  return {Made{small_spec()},
          RoundOpened{"1", {{"a", 1.0}, {"b", 2.0}}},
          OutcomeSeen{"1", 1.5},
          RoundOpened{"2", {{"a", 1.0}}},
          RoundAbandoned{"2"},
          ExpertAdded{"c comes", "c"},
          RoundOpened{"3", {{"a", 1.0}, {"c", 3.0}}},
          ExpertRemoved{"b goes", "b"},
          RoundOpened{"4", {}}};
}

Stream with_a_past() {
  Stream stream;
  for (const Event& event : some_events()) {
    invariant(stream.step(event).accepted(), "these events are taken");
  }
  return stream;
}

bool is_small(const Event& event) {
  const Made* made = std::get_if<Made>(&event);
  return made == nullptr || made->spec.experts.size() <= kMostExperts;
}

// A step, which neither changes anything if it is refused, nor if it is asked for again.
void step(Stream& stream, const Event& event) {
  if (!is_small(event)) return;
  const std::string before = stream.made() ? stream.save() : "";
  const Output first = stream.step(event);
  invariant(first.accepted() || !first.why.empty(), "who is refused is told why");
  io::json_text(serve::reply_to(event, first).body);
  if (!stream.made()) return;
  const std::string after = stream.save();
  invariant((before != after) == (first.verdict == Verdict::kDone),
            "what is done changes the state");
  const Output again = stream.step(event);
  invariant(again.accepted() == first.accepted() && stream.save() == after, "asking again is safe");
}

std::optional<Stream> loaded(std::string_view bytes) {
  try {
    return Stream::load(bytes, "fuzz");
  } catch (const Error&) {
    return std::nullopt;
  }
}

void goes_on(Stream& stream) {
  if (!stream.made()) return;
  io::json_text(serve::stream_json("fuzz", stream));
  for (const std::string& id : stream.answered().open_ids()) {
    step(stream, OutcomeSeen{id, 0.5});
    step(stream, RoundAbandoned{id});
  }
  const auto names = stream.aggregator().names();
  RoundOpened round{"another round", {}};
  for (const std::string& name : names) round.forecasts.emplace_back(name, 0.5);
  std::ranges::sort(round.forecasts);
  step(stream, round);
  step(stream, OutcomeSeen{round.id, 0.25});
  step(stream, ExpertAdded{"another comes", "another"});
  step(stream, ExpertRemoved{"the first goes", names.front()});
  const std::string saved = stream.save();
  const auto again = loaded(saved);
  invariant(again && again->save() == saved, "what was saved loads to the same state");
}

void play_lines(std::string_view text) {
  Stream stream;
  for (std::size_t lines = 0; !text.empty() && lines < 100; ++lines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto line = serve::read_event_line(text.substr(0, end));
    if (line.event) step(stream, *line.event);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  goes_on(stream);
}

void play_event(const Bytes& file) {
  try {
    const Event event = event_from(text_of(file), "fuzz");
    invariant(event_bytes(event) == text_of(file), "an event is written as it was read");
    Stream fresh, old = with_a_past();
    step(fresh, event);
    step(old, event);
    goes_on(fresh);
    goes_on(old);
  } catch (const Error&) {
  }
}

void play_snapshot(const Bytes& file) {
  auto stream = loaded(text_of(file));
  if (stream && stream->aggregator().names().size() <= kMostExperts) goes_on(*stream);
}

// From here on even an Error is a bug.
void read_head(std::string_view text) {
  const auto end = serve::head_end(text, 0);
  if (!end) return;
  invariant(*end <= text.size(), "a head ends in what has arrived");
  HttpRequest request;
  auto refusal = serve::read_head(text.substr(0, *end), request);
  if (!refusal) refusal = serve::body_refusal(request);
  if (refusal) invariant(refusal->status >= 400, "what is refused has a status that says so");
}

// The architecture is part of the frame.
std::uint64_t architecture_of(const Bytes& file) {
  return StateReader(file, "fuzz").architecture();
}

Bytes edited(const std::string& real, Input edits) {
  const Bytes file = bytes_of(real);
  Bytes payload = payload_of(file);
  edit(payload, edits);
  return framed(payload, architecture_of(file));
}

Bytes refitted(const std::string& real, Input payload) {
  return framed(payload, architecture_of(bytes_of(real)));
}

}  // namespace
}  // namespace pcgs

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pcgs;
  if (size == 0) return 0;
  static const std::vector<Event> events = some_events();
  static const std::string snapshot = with_a_past().save();
  const Input rest(data + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      read_head(text_of(rest));
      break;
    case 1:
      play_lines(text_of(rest));
      break;
    case 2:
      play_event({rest.begin(), rest.end()});
      break;
    case 3:
      play_event(refitted(event_bytes(events[0]), rest));
      break;
    case 4:
      if (!rest.empty()) {
        play_event(edited(event_bytes(events[rest[0] % events.size()]), rest.subspan(1)));
      }
      break;
    case 5:
      play_snapshot({rest.begin(), rest.end()});
      break;
    case 6:
      play_snapshot(refitted(snapshot, rest));
      break;
    default:
      play_snapshot(edited(snapshot, rest));
  }
  return 0;
}
