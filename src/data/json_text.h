// JSON as text, whatever bytes the names in it hold.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pcgs::io {

// indent -1: on one line. What is not UTF-8, such as the path of a file, gets replacement signs.
inline std::string json_text(const nlohmann::ordered_json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace pcgs::io
