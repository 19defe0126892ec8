// A name as a message shows it in a command to copy.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "data/text.h"

namespace pcgs::io {

// As a shell takes it: in full where that is one plain word, so that it can be copied.
inline std::string as_argument(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.,+:/@%").find(c) != std::string_view::npos;
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), plain)) return std::string(name);
  const char quote = name.find('\'') == std::string_view::npos ? '\'' : '"';
  return fmt::format("{}{}{}", quote, excerpt(name), quote);
}

}  // namespace pcgs::io
