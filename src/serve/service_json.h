// The JSON that the service and the Kafka worker read and write: events, which are the bodies of requests
// and lines; replies; how streams stand; and lines of the log.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/stream.h"

namespace pcgs::serve {

using Json = nlohmann::ordered_json;

// Bodies of requests: an event of a kind, which is the name that it has in a line of events ("make", "round",
// "outcome", ...). All throw Error, whose place is a field, with what would be accepted.
Event posted_event(std::string_view kind, std::string_view body);
// {"name":NAME}: of a backup, which is the name of a folder.
std::string backup_from(std::string_view body);
// Throws Error unless it is 1 to kLongestName letters, digits, dots, dashes and underscores.
void check_stream_name(std::string_view name);

// {"stream":NAME, and one of
//  "make":{...}, "round":{...}, "outcome":{...}, "abandon":{"id"},
//  "add_expert":{"id","name"}, "remove_expert":{"id","name"}}
struct EventLine {
  std::string stream;
  std::optional<Event> event;
  std::string why{};  // a sentence, where the line is refused and there is no event
};
// Never throws Error.
EventLine read_event_line(std::string_view text);
// {"status":200,"stream":NAME,...} with what the event's own route would answer; no end of line. The
// output is that of the event, and is not looked at where there is none.
std::string answer_line(const EventLine& line, const Output& output);

struct Reply {
  int status = 200;
  Json body;
};
Reply reply_to(const Event& event, const Output& output);
Reply error_reply(int status, std::string_view why);
// How a stream stands.
Json stream_json(const std::string& name, const Stream& stream);
// The same in a line of a list. Null: it is not in memory, and nothing but its name is known.
Json summary_json(const std::string& name, const Stream* stream);
Json rounds_json(const std::vector<RecentRound>& rounds);

// {"time":"2026-05-01T12:00:00Z","level":"info","event":"listening",...}, on standard error. From any
// thread.
void log_line(std::string_view level, std::string_view event, const Json& fields = Json::object());

}  // namespace pcgs::serve
