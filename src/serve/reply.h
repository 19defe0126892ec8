// What a client is told, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "serve/stream.h"

namespace pcgs::serve {

using Json = nlohmann::ordered_json;

struct Reply {
  int status = 200;
  Json body;
};
Reply reply_to(const stream::Event& event, const stream::Output& output);
Reply error_reply(int status, std::string_view why);
// How a stream stands.
Json stream_json(const std::string& name, const stream::Stream& stream);
// The same in a line of a list. Null: it is not in memory, and nothing but its name is known.
Json summary_json(const std::string& name, const stream::Stream* stream);
Json rounds_json(const std::vector<stream::RecentRound>& rounds);

// Never throws, whatever the bytes; numbers read back to the same bits, and NaN becomes null.
std::string text_of(const Json& json);

}  // namespace pcgs::serve
