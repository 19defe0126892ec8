#include "data/parse_json.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "data/json_depth.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {

using nlohmann::ordered_json;

ordered_json parse_json(std::string_view text, std::string_view origin, std::string_view wanted) {
  if (is_deep_json(text)) {
    throw Error(
        fmt::format("{}: is nested more than {} deep; give {}", origin, kDeepestJson, wanted));
  }
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int /*depth*/, ordered_json::parse_event_t event, ordered_json& value) {
    using Event = ordered_json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get<std::string>()).second) {
      throw Error(fmt::format("{}: has the key {} twice in one object; give {}", origin,
                              excerpt(value.get<std::string>()), wanted));
    }
    return true;
  };
  ordered_json json = ordered_json::parse(text, check, false);
  if (json.is_discarded()) throw Error(fmt::format("{}: is not JSON; give {}", origin, wanted));
  return json;
}

}  // namespace pcgs::io
