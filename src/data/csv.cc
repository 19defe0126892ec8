#include "data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "data/input_bytes.h"
#include "data/text.h"
#include "pcgs/error.h"

namespace pcgs::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The most frequent outside quotes in the first line.
char detect_delimiter(std::string_view text) {
  constexpr std::string_view kDelimiters = ",;\t";
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    if (const auto which = kDelimiters.find(c); which != kDelimiters.npos) ++counts[which];
  }
  return kDelimiters[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

// Without the blank lines at the end. They are cut off once, before reading: whether a blank line
// is one of them cannot be told from the line itself.
std::string_view without_blank_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \r\n");
  if (last == std::string_view::npos) return {};
  const std::size_t newline = text.find('\n', last);
  return newline == std::string_view::npos ? text : text.substr(0, newline + 1);
}

// A command that can be copied.
std::string conversion(std::string_view from, const std::string& origin) {
  const std::string iconv = fmt::format("iconv -f {} -t UTF-8", from);
  if (origin == kStandardInput) return iconv;
  if (origin.ends_with(".gz")) {
    return fmt::format("zcat {} | {} > new.csv", as_argument(origin), iconv);
  }
  return fmt::format("{} {} > new.csv", iconv, as_argument(origin));
}

bool has_nul_in_every_second_byte(std::string_view text, std::size_t first) {
  constexpr std::size_t kLookedAt = 64;
  const std::string_view start = text.substr(0, kLookedAt);
  if (start.size() < 4) return false;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if ((start[i] == '\0') != (i % 2 == first)) return false;
  }
  return true;
}

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

// UTF-16, by its mark or a NUL in every second byte, and what holds a NUL otherwise and so is no text at all.
void require_text(std::string_view text, const std::string& origin) {
  const auto refuse_utf16 = [&](std::string_view from) {
    throw Error(
        ErrorKind::kFormat, {.file = origin},
        fmt::format("is in UTF-16; give UTF-8, which you get with {}", conversion(from, origin)));
  };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) refuse_utf16("UTF-16");
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return;
  // Without a mark iconv takes the order of our own machines, which is little-endian.
  if (has_nul_in_every_second_byte(text, 1)) refuse_utf16("UTF-16");
  if (has_nul_in_every_second_byte(text, 0)) refuse_utf16("UTF-16BE");
  const std::string_view before = text.substr(0, nul);
  const auto line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  throw Error(ErrorKind::kFormat, {.file = origin, .line = line},
              "there is a NUL byte, so this is not a text file; give CSV in UTF-8");
}

}  // namespace

std::string latin1_advice(const std::string& origin) {
  return fmt::format("if it is Latin-1, convert it with {}", conversion("ISO-8859-1", origin));
}

CsvReader::CsvReader(std::string_view text, std::string origin)
    : text_(text), origin_(std::move(origin)) {
  if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text_.remove_prefix(kByteOrderMark.size());
  }
  require_text(text_, origin_);
  text_ = without_blank_end(text_);
  if (text_.empty()) {
    throw Error(ErrorKind::kMissing, {.file = origin_},
                "the file is empty; give a header line with a name for each column, then the rows");
  }
  delimiter_ = detect_delimiter(text_);
  read_record();
  name_columns();
  fields_.clear();
}

void CsvReader::name_columns() {
  if (fields_.size() == 1 && trimmed(fields_[0]).empty()) {
    fail("the header is empty; name the columns there", ErrorKind::kMissing);
  }
  std::unordered_map<std::string_view, std::size_t> taken;
  header_.reserve(fields_.size());  // `taken` looks into it
  if (fields_.size() > 1 && trimmed(fields_.back()).empty()) fields_.pop_back();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::string& name = header_.emplace_back(trimmed(fields_[i]));
    const std::string which = fmt::format("column {} of the header", i + 1);
    const bool may_be_an_index = i == 0 && fields_.size() > 1;
    if (name.empty() && !may_be_an_index) {
      fail(which + " has no name; give every column one", ErrorKind::kMissing);
    }
    if (!is_utf8(name)) {
      fail(fmt::format("{} has a name that is not UTF-8 ({}); {}", which, excerpt(name),
                       latin1_advice(origin_)));
    }
    const auto [first, is_new] = taken.emplace(name, i);
    if (!is_new) {
      fail(fmt::format("{} has the name of column {} ({}); give every column its own", which,
                       first->second + 1, excerpt(name)),
           ErrorKind::kDuplicate);
    }
  }
}

bool CsvReader::next() {
  if (next_ == text_.size()) {
    fields_.clear();
    return false;
  }
  ++row_;
  read_record();
  cut_empty_end();
  if (fields_.size() != header_.size()) {
    fail(fmt::format("has {} field{}, but the header names {} column{}; {}", fields_.size(),
                     fields_.size() == 1 ? "" : "s", header_.size(), header_.size() == 1 ? "" : "s",
                     text_.ends_with('\n') || next_ < text_.size()
                         ? "give every row one field per column"
                         : "the file seems to be cut off, so get it again, or give every row one "
                           "field per column"));
  }
  return true;
}

// In all rows or in none: otherwise "4,5," with three columns could be a row that ends in nothing or
// one that lost a field.
void CsvReader::cut_empty_end() {
  const bool ends_so =
      fields_.size() == header_.size() + 1 && trimmed(fields_.back(), " \t").empty();
  if (row_ == 1) rows_end_in_delimiter_ = ends_so;
  if (!rows_end_in_delimiter_) return;
  if (ends_so) {
    fields_.pop_back();
  } else if (fields_.size() == header_.size()) {
    fail("does not end in a delimiter as row 1 does; end all rows so, or none");
  }
}

void CsvReader::read_record() {
  line_ = next_line_;
  fields_.clear();
  unescaped_.clear();
  for (;;) {
    fields_.push_back(at('"') ? quoted_field() : plain_field());
    if (!at(delimiter_)) break;
    ++next_;
  }
  end_record();
}

std::string_view CsvReader::plain_field() {
  const std::size_t start = next_;
  for (; next_ < text_.size(); ++next_) {
    const char c = text_[next_];
    if (c == delimiter_ || c == '\n' || c == '\r') break;
    if (c == '"') {
      fail_in_field(
          "a quote stands inside a field that does not begin with one; put the whole field in "
          "quotes and double the quotes inside it");
    }
  }
  return text_.substr(start, next_ - start);
}

std::string_view CsvReader::quoted_field() {
  std::size_t start = ++next_;
  std::string* whole = nullptr;
  for (;; ++next_) {
    if (next_ == text_.size()) {
      fail_in_field(
          "the quote that opens this field is never closed; end "
          "the field with a quote");
    }
    if (text_[next_] == '\n') ++next_line_;
    if (text_[next_] != '"') continue;
    const std::string_view piece = text_.substr(start, next_ - start);
    ++next_;
    if (at('"')) {
      if (whole == nullptr) whole = &unescaped_.emplace_back();
      whole->append(piece).push_back('"');
      start = next_ + 1;
      continue;
    }
    if (next_ < text_.size() && !at(delimiter_) && !at('\n') && !at('\r')) {
      fail_in_field(
          "text follows the closing quote; end the field there, or double a quote that belongs "
          "to it");
    }
    return whole == nullptr ? piece : std::string_view(whole->append(piece));
  }
}

void CsvReader::end_record() {
  if (next_ == text_.size()) return;
  if (at('\r')) {
    ++next_;
    if (!at('\n')) {
      fail("a carriage return stands alone; end lines with LF or CRLF");
    }
  }
  ++next_;
  ++next_line_;
}

ErrorPlace CsvReader::place() const { return {.file = origin_, .row = row_, .line = line_}; }

ErrorPlace CsvReader::place(std::size_t field) const {
  ErrorPlace here = place();
  const bool named = field < header_.size() && !header_[field].empty();
  here.column = named ? excerpt(header_[field]) : std::to_string(field + 1);
  return here;
}

void CsvReader::fail(std::string_view why, ErrorKind kind) const {
  throw Error(kind, place(), why);
}

void CsvReader::fail_in_field(std::string_view why) const {
  throw Error(ErrorKind::kFormat, place(fields_.size()), why);
}

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

namespace pcgs {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",;\t\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace pcgs
