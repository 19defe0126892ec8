#include "data/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <system_error>

#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

constexpr Number kMissing{NumberKind::kMissing, std::numeric_limits<double>::quiet_NaN()};
constexpr Number kInfinite{NumberKind::kInfinite, 0};
constexpr Number kOutOfRange{NumberKind::kOutOfRange, 0};
constexpr Number kText{NumberKind::kText, 0};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `word` in lower case.
bool is_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char lower = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (lower != word[i]) return false;
  }
  return true;
}

bool is_missing(std::string_view text) {
  constexpr std::string_view kWords[] = {"?",    "-",    ".",    "na",  "n/a",
                                         "#n/a", "<na>", "none", "nat", "null"};
  return text.empty() || std::any_of(std::begin(kWords), std::end(kWords),
                                     [&](std::string_view word) { return is_word(text, word); });
}

// A number without its sign, written with a decimal point and without thousands.
Number parse_plain(std::string_view size, bool negative) {
  double value = 0;
  const char* const end = size.data() + size.size();
  const auto [stopped, error] = std::from_chars(size.data(), end, value);
  if (stopped != end || error == std::errc::invalid_argument) return kText;
  if (error == std::errc::result_out_of_range || std::isinf(value)) return kOutOfRange;
  return {NumberKind::kFinite, negative ? -value : value};
}

// How many bytes of `text` are the separator it begins with; 0 if it does not.
std::size_t separator_at(std::string_view text, char thousands) {
  if (text.empty()) return 0;
  if (text.front() == thousands) return 1;
  if (thousands != ' ') return 0;
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  constexpr std::string_view kNarrowNoBreakSpace = "\xE2\x80\xAF";
  if (text.starts_with(kNoBreakSpace)) return kNoBreakSpace.size();
  return text.starts_with(kNarrowNoBreakSpace) ? kNarrowNoBreakSpace.size() : 0;
}

// The same with a decimal point and without thousands; empty if it is not written in this format.
std::string rewritten(std::string_view size, NumberFormat format) {
  std::string plain;
  std::size_t at = 0;
  const auto take_digits = [&] {
    const std::size_t begin = at;
    while (at < size.size() && is_digit(size[at])) plain += size[at++];
    return at - begin;
  };
  const std::size_t first = take_digits();
  bool grouped = false;
  while (format.thousands != '\0') {
    const std::size_t separator = separator_at(size.substr(at), format.thousands);
    if (separator == 0) break;
    at += separator;
    grouped = true;
    if (take_digits() != 3) return {};
  }
  if (grouped && (first == 0 || first > 3 || size.front() == '0')) return {};
  if (at < size.size() && size[at] == format.decimal) {
    plain += '.';
    ++at;
    take_digits();
  }
  // Nothing but an exponent may follow, which has neither sign.
  const std::string_view rest = size.substr(at);
  if (rest.find_first_of(".,") != std::string_view::npos) return {};
  return plain.append(rest);
}

}  // namespace

void check_format(NumberFormat format) {
  constexpr std::string_view kDecimals = ".,";
  constexpr std::string_view kThousands = ",.'_ ";
  if (kDecimals.find(format.decimal) == std::string_view::npos) {
    throw Error(fmt::format("decimals cannot be written with \"{}\"; give . or ,",
                            excerpt({&format.decimal, 1})));
  }
  if (format.thousands == '\0') return;
  if (kThousands.find(format.thousands) == std::string_view::npos) {
    throw Error(
        fmt::format("thousands cannot be separated by \"{}\"; give one of , . ' _ or a space",
                    excerpt({&format.thousands, 1})));
  }
  if (format.thousands == format.decimal) {
    throw Error(
        fmt::format("\"{}\" cannot both separate thousands and begin decimals; give two signs",
                    format.decimal));
  }
}

Number parse_number(std::string_view field, NumberFormat format) {
  const bool plain = format == NumberFormat{};
  if (!plain) check_format(format);
  const std::string_view text = trimmed(field, " \t");
  if (text.empty()) return kMissing;

  // from_chars takes a '-' but no '+'; and without this "+-1" would pass.
  const bool negative = text.front() == '-';
  const std::string_view size = negative || text.front() == '+' ? text.substr(1) : text;
  const bool starts_as_number =
      !size.empty() && (is_digit(size[0]) || (size[0] == format.decimal && size.size() > 1));
  if (!starts_as_number) {
    // from_chars would also take words, among them nan(...).
    if (is_missing(text) || is_word(size, "nan")) return kMissing;
    return is_word(size, "inf") || is_word(size, "infinity") ? kInfinite : kText;
  }
  if (plain) return parse_plain(size, negative);
  const std::string as_plain = rewritten(size, format);
  return as_plain.empty() ? kText : parse_plain(as_plain, negative);
}

}  // namespace pcgs::io
