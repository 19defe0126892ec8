// JSON in files and requests: one reader and one writer.
//
// The reader takes exactly one value. It refuses what is not JSON, text that is not UTF-8, anything but space after the
// value, a name that stands twice in one object, and values that are nested more than kDeepestJson deep. Its cost is
// linear in the length of the text (but for the logarithm in looking up names), whatever the text is: objects of
// nlohmann's own parser cost the square of their names, and its callback the square of the length.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pcgs::io {

inline constexpr std::size_t kDeepestJson = 32;

// Names in the order of the text. Throws Error of the kind kFormat, or kDuplicate for a name that stands twice; the
// place is `origin` as the file, the line, and as the column the number of the byte in that line. `wanted` ends the
// sentence: "give ...".
nlohmann::ordered_json parse_json(std::string_view text, std::string_view origin,
                                  std::string_view wanted);

// indent -1: on one line. What is not UTF-8, such as the path of a file, gets replacement signs.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace pcgs::io
