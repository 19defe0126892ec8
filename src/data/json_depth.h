// How deep JSON is nested, before anybody takes it apart: what does so by recursion would run out of stack.
#pragma once

#include <cstddef>
#include <string_view>

namespace pcgs {

inline constexpr std::size_t kDeepestJson = 32;

// Of brackets outside of texts, whether or not it is JSON.
inline bool is_deep_json(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > kDeepestJson) return true;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return false;
}

}  // namespace pcgs
