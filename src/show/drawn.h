// Numbers as charts take them: few digits, and in groups of rows.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "show/thin.h"

namespace pcgs::report {

using nlohmann::ordered_json;

// Five digits of what differs between them, null where not finite.
ordered_json drawn(const std::vector<double>& values);

// The rows of one curve; `same` holds what is the same in all of them.
ordered_json curve(const Points& points, ordered_json same = ordered_json::object());

}  // namespace pcgs::report
