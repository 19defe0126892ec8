// What one field of a text file says, as a number.
//
//     finite        what std::from_chars reads in its general format, and a leading '+'
//     missing       nothing, ?, NA, NaN, null
//     infinite      inf, infinity
//     out of range  a decimal number that no finite double is near: 1e999, 1e-999
//     text          everything else; so also 0x10, 1,5 and 1_000
//
// Spaces and tabs around the field are ignored, and so is the case of words. inf and NaN may have a
// sign. The locale has no say.
#pragma once

#include <cstdint>
#include <string_view>

namespace pcgs::io {

enum class NumberKind : std::uint8_t { kFinite, kMissing, kInfinite, kOutOfRange, kText };

struct Number {
  NumberKind kind = NumberKind::kText;
  double value = 0;  // the number if finite; NaN if missing; otherwise meaningless
};

Number parse_number(std::string_view field);

}  // namespace pcgs::io
