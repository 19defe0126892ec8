// Events from JSON: the bodies of requests, and the lines of POST /events.
#pragma once

#include <string>
#include <string_view>

#include "serve/event.h"

namespace pcgs::serve {

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

// {"name":NAME}: of a backup, which is the name of a folder.
std::string backup_from(std::string_view body);

// Throws Error unless it is 1 to kLongestName letters, digits, dots, dashes and underscores.
void check_stream_name(std::string_view name);

}  // namespace pcgs::serve
