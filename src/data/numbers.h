// What one field of a text file says, as a number.
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
#pragma once

#include <cstdint>
#include <string_view>

namespace pcgs::io {

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

}  // namespace pcgs::io
