// JSON, strictly: no key twice in an object, nothing nested deep.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace pcgs::io {

// Throws Error that names the origin if the text is not JSON, an object has a key twice, or values
// are nested more than 32 deep. `wanted` ends the sentence: "give ...".
nlohmann::ordered_json parse_json(std::string_view text, std::string_view origin,
                                  std::string_view wanted);

}  // namespace pcgs::io
