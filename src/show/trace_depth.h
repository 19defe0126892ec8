// A run in depth from a trace that pcgs run wrote.
#pragma once

#include <string>
#include <string_view>

#include "show/depth.h"

namespace pcgs::report {

bool is_trace(std::string_view text);
// Everything but what a method could prove that is not of the share form. `sharing` is how many
// runs share the page. Throws Error, naming `origin`.
RunDepth depth_of_trace(std::string_view text, const std::string& origin, std::size_t switches,
                        std::size_t sharing);

}  // namespace pcgs::report
