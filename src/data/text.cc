#include "data/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>

#include "pcgs/error.h"

namespace pcgs {
namespace {

constexpr std::size_t kExcerptBytes = 40;

// The length in bytes of the character that starts at text[at]; 0 if none does.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - at < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool beyond = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

// Of one character, or of a byte that is none.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first >= 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;  // U+0080 to U+009F
}

}  // namespace

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view cut_off(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  return failed == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string visible(std::string_view text, std::string_view kept) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const std::size_t taken = length == 0 ? 1 : length;
    for (const char c : text.substr(at, taken)) {
      if (is_control(text.substr(at, taken)) && kept.find(c) == kept.npos) {
        fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(c));
      } else {
        shown.push_back(c);
      }
    }
    at += taken;
  }
  return shown;
}

std::string excerpt(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t taken = std::max<std::size_t>(character_length(text, end), 1);
    if (end + taken > kExcerptBytes) return visible(text.substr(0, end)) + "...";
    end += taken;
  }
  return visible(text);
}

}  // namespace pcgs

namespace pcgs::io {

std::string as_argument(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.,+:/@%").find(c) != std::string_view::npos;
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), plain)) return std::string(name);
  const char quote = name.find('\'') == std::string_view::npos ? '\'' : '"';
  return fmt::format("{}{}{}", quote, excerpt(name), quote);
}

}  // namespace pcgs::io
