#include "serve/event_line.h"

#include "pcgs/error.h"
#include "serve/reply.h"

namespace pcgs::serve {

EventLine read_event_line(std::string_view text) {
  try {
    return {line_from(text)};
  } catch (const Error& wrong) {
    return {{}, wrong.what()};
  }
}

std::string answer_line(const EventLine& line, const stream::Output& output) {
  const Reply reply = line.event ? reply_to(line.event->event, output) : error_reply(400, line.why);
  Json out = {{"status", reply.status}};
  if (line.event) out["stream"] = line.event->stream;
  out.update(reply.body);
  return text_of(out);
}

}  // namespace pcgs::serve
