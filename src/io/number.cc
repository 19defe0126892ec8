#include "io/number.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

#include "core/text.h"

namespace pcgs::io {
namespace {

// `word` in lower case.
bool is_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char lower = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (lower != word[i]) return false;
  }
  return true;
}

}  // namespace

Number parse_number(std::string_view field) {
  constexpr Number kMissing{NumberKind::kMissing, std::numeric_limits<double>::quiet_NaN()};
  constexpr Number kText{NumberKind::kText, 0};

  const std::string_view text = trimmed(field, " \t");
  if (text.empty() || text == "?" || is_word(text, "na") || is_word(text, "null")) return kMissing;

  // from_chars takes a '-' but no '+'; and without this "+-1" would pass.
  const bool negative = text.front() == '-';
  const std::string_view size = negative || text.front() == '+' ? text.substr(1) : text;
  if (size.empty()) return kText;

  // from_chars would also take words, among them nan(...).
  const char first = size.front();
  if ((first < '0' || first > '9') && first != '.') {
    if (is_word(size, "nan")) return kMissing;
    if (is_word(size, "inf") || is_word(size, "infinity")) return {NumberKind::kInfinite, 0};
    return kText;
  }
  double value = 0;
  const char* const end = size.data() + size.size();
  const auto [stopped, error] = std::from_chars(size.data(), end, value);
  if (stopped != end || error == std::errc::invalid_argument) return kText;
  if (error == std::errc::result_out_of_range || std::isinf(value)) {
    return {NumberKind::kOutOfRange, 0};
  }
  return {NumberKind::kFinite, negative ? -value : value};
}

}  // namespace pcgs::io
