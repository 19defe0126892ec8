#include "serve/log_line.h"

#include <fmt/chrono.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace pcgs::serve {

void log_line(std::string_view level, std::string_view event,
              const nlohmann::ordered_json& fields) {
  using Json = nlohmann::ordered_json;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  Json line = {{"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
               {"level", level},
               {"event", event}};
  line.update(fields);
  // In one call, so that lines of two threads do not mix.
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace pcgs::serve
