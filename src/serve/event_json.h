// Events and answers as JSON: the bodies of requests, and the lines of POST /events.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "stream/event.h"
#include "stream/stream.h"

namespace pcgs::serve {

using Json = nlohmann::ordered_json;

// All throw Error, with what would be accepted.
stream::Made made_from(std::string_view body);
stream::RoundOpened round_from(std::string_view body);
stream::OutcomeSeen outcome_from(std::string_view body);

// {"stream":NAME, and one of
//  "make":{...}, "round":{...}, "outcome":{...}, "abandon":{"id"},
//  "add_expert":{"id","name"}, "remove_expert":{"id","name"}}
struct AddressedEvent {
  std::string stream;
  stream::Event event;
};
AddressedEvent line_from(std::string_view line);

// Throws Error unless it is 1 to kLongestName letters, digits, dots, dashes and underscores.
void check_stream_name(std::string_view name);

// What a client is told.
struct Reply {
  int status = 200;
  Json body;
};
Reply reply_to(const stream::Event& event, const stream::Output& output);
Reply error_reply(int status, std::string_view why);
// How a stream stands.
Json stream_json(const std::string& name, const stream::Stream& stream);

// Never throws, whatever the bytes; numbers read back to the same bits, and NaN becomes null.
std::string text_of(const Json& json);

}  // namespace pcgs::serve
