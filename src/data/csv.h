// Comma-separated values, RFC 4180, one row at a time.
//
// The first line names the columns. The delimiter is the most frequent of ',', ';' and tab outside
// quotes in that line; ',' if there is none. Accepted:
//
//     - lines that end in LF or CRLF; the last one may end in nothing
//     - fields in double quotes, with delimiters, line ends and doubled quotes inside
//     - a UTF-8 byte order mark
//     - a delimiter at the end of the header, of every row, or of both, with nothing behind it
//     - a first column without a name, as pandas writes its index
//     - blank lines (nothing but spaces) at the end, which are ignored; elsewhere a blank line is a
//       row with one field
//
// Everything else is refused with an Error whose place has `origin` as the file: no
// header, another column without a name, a name already taken or not in UTF-8, a row with another
// number of fields than the header, a quote that is not closed or stands inside a plain field, text
// after a closing quote, a carriage return on its own, UTF-16 or any other NUL byte.
//
// Rows count from 1 after the header. A row's line is the line in the file where it starts; the two
// differ by more than one once a quoted field holds a line end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/error.h"

namespace pcgs::io {

class CsvReader {
 public:
  // Reads the header. Keeps a view: `text` must outlive the reader.
  CsvReader(std::string_view text, std::string origin);
  CsvReader(const CsvReader&) = delete;  // fields_ may point into unescaped_
  CsvReader& operator=(const CsvReader&) = delete;

  char delimiter() const { return delimiter_; }
  // The names, without the spaces around them: all different, all UTF-8, none empty but perhaps the
  // first, and at least one that is not.
  std::span<const std::string> header() const { return header_; }

  // Moves to the next row; false after the last.
  bool next();

  // Of the current row, valid until next(). As many fields as the header has names.
  std::span<const std::string_view> fields() const { return fields_; }
  std::size_t bytes_read() const { return next_; }
  std::size_t bytes() const { return text_.size(); }  // of all there is to read
  std::size_t row() const { return row_; }            // 0 before the first next()
  std::size_t line() const { return line_; }          // of the header before the first next()

  // Where we are, and with a field's index also in which column; one without a name goes by its number.
  ErrorPlace place() const;
  ErrorPlace place(std::size_t field) const;

 private:
  void read_record();
  std::string_view plain_field();
  std::string_view quoted_field();
  void end_record();
  void name_columns();
  void cut_empty_end();
  bool at(char c) const { return next_ < text_.size() && text_[next_] == c; }
  [[noreturn]] void fail(std::string_view why, ErrorKind kind = ErrorKind::kFormat) const;
  [[noreturn]] void fail_in_field(std::string_view why) const;  // the one that is read now

  std::string_view text_;
  std::string origin_;
  char delimiter_ = ',';
  std::vector<std::string> header_;
  bool rows_end_in_delimiter_ = false;  // the first row decides

  std::size_t next_ = 0;       // where in text_ the next record starts
  std::size_t next_line_ = 1;  // and on which line
  std::size_t row_ = 0;
  std::size_t line_ = 1;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // fields with doubled quotes; a deque does not move them
};

// What one field says, as a number.
//
//     finite        what std::from_chars reads in its general format, and a leading '+'
//     missing       nothing, ?, -, ., NA, N/A, #N/A, <NA>, NaN, NaT, none, null
//     infinite      inf, infinity
//     out of range  a decimal number that no finite double is near: 1e999, 1e-999
//     text          everything else; so also 0x10, and 1,5 and 1_000 unless the format says so
//
// Spaces and tabs around the field are ignored, and so is the case of words. inf and NaN may have a
// sign. The locale has no say, and nothing is guessed: how decimals and thousands are written is
// the format's to say.

enum class NumberKind : std::uint8_t { kFinite, kMissing, kInfinite, kOutOfRange, kText };

struct Number {
  NumberKind kind = NumberKind::kText;
  double value = 0;  // the number if finite; NaN if missing; otherwise meaningless
};

// Thousands may be written without their separator; where it is written it stands between all
// groups of three digits left of the decimal sign, and the first group does not begin with 0:
// 1,234,567.5 and 1234567.5, but not 12,34 and not 0,123. A space stands for no-break spaces, too.
struct NumberFormat {
  char decimal = '.';     // or ','
  char thousands = '\0';  // none; or one of , . ' _ and the space

  bool operator==(const NumberFormat&) const = default;
};

// Throws Error, saying what would be accepted, for a format that is none of the above or has the
// same sign for both.
void check_format(NumberFormat format);

// Throws only what check_format() does.
Number parse_number(std::string_view field, NumberFormat format = {});

// "if it is Latin-1, convert it with iconv -f ISO-8859-1 -t UTF-8 FILE > new.csv": where a text
// turned out not to be UTF-8.
std::string latin1_advice(const std::string& origin);

}  // namespace pcgs::io

namespace pcgs {

// The text as one field, in quotes where it must be.
std::string csv_field(std::string_view text);

}  // namespace pcgs
