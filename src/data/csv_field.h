// Text as one field of a CSV file.
#pragma once

#include <string>
#include <string_view>

namespace pcgs {

// In quotes where it must be.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",;\t\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace pcgs
