// Text and JSON as parts of an HTML page. Whatever a name holds, it stays text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pcgs::report {

// For text between tags and inside quoted attributes. What is not UTF-8 gets replacement signs.
std::string escaped(std::string_view text);

// For a <script type="application/json">: no sign in it can end the element.
std::string script_json(const nlohmann::ordered_json& value);

// For a <script>: the code does the same and cannot end the element.
std::string script_code(std::string_view code);

}  // namespace pcgs::report
