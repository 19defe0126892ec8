// What the service says about itself: one JSON object a line on standard error.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace pcgs::serve {

// {"time":"2026-05-01T12:00:00Z","level":"info","event":"listening",...}. From any thread.
void log_line(std::string_view level, std::string_view event,
              const nlohmann::ordered_json& fields = nlohmann::ordered_json::object());

}  // namespace pcgs::serve
