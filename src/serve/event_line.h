// One line of events, and the line that answers it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/event_json.h"
#include "serve/stream.h"

namespace pcgs::serve {

struct EventLine {
  std::optional<AddressedEvent> event;
  std::string why{};  // it is none; a sentence
};

// Never throws Error.
EventLine read_event_line(std::string_view text);

// {"status":200,"stream":NAME,...} with what the event's own route would answer; no end of line. The
// output is that of the event, and is not looked at where there is none.
std::string answer_line(const EventLine& line, const stream::Output& output);

}  // namespace pcgs::serve
