// Pools described in JSON.
#pragma once

#include <string>
#include <string_view>

#include "pcgs/experts.h"

namespace pcgs {

// What read_experts() does with the content of the file; `origin` names it in messages.
Experts parse_experts(std::string_view json, const std::string& origin);

}  // namespace pcgs
