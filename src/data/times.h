// Times: a date as a field of a text file writes it, and columns of them.
//
// What is read, one form for a whole column; dates are those of the Gregorian calendar, and a day
// that does not exist is refused:
//
//     2026-03-01, 2026/03/01           ISO 8601; all of these may stand in one column
//     2026-03                          the first of the month
//     2026-03-01 05:00                 or T instead of the space; also 05:00:30 and 05:00:30.25
//     2026-03-01T05:00Z                an offset from UTC: Z, UTC, +01:00, +0100, +01
//     20260301                         if all times are eight digits and dates; else they are numbers
//     01.03.2026, 01.03.2026 05:00     day, month, year
//     01/03/2026, 1/3/2026 5:00 AM     day or month first: see below
//     7, 2026, 0.5                     plain numbers: rounds, years
//
// A time without an offset counts as UTC. 24:00 is midnight of the next day, and a leap second (:60)
// is the start of the next minute.
//
// Whether the day or the month comes first in 01/03/2026 is never guessed from one value: it is the
// reading in which every value of the column is a date, and if both are, the one in which times
// never run backwards. If that leaves both or none, the column is refused.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pcgs/table.h"

namespace pcgs::io {

// One date, with or without a clock. No locale and no table of time zones has a say.
enum class DateForm : std::uint8_t {
  kNone,     // not a date
  kIso,      // year first
  kDotted,   // 01.03.2026
  kSlashed,  // 01/03/2026: two readings
};

struct Date {
  static constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

  DateForm form = DateForm::kNone;  // by its shape alone
  double at = kNever;               // seconds since 1970-01-01 UTC; NaN if there is no such time
  double month_first = kNever;      // kSlashed: the same if the month comes first; `at`: the day
};

Date parse_date(std::string_view field);

// Eight digits, 20260301, that are a date.
std::optional<double> parse_compact_date(std::string_view field);

// Whether a field is a date that exists, in a form that is no plain number.
bool is_date(std::string_view field);

// "2026-03-01 05:00": a time of the years 0 to 9999, with seconds and their fraction (nine digits
// at most) where they are not zero, so that parse_date() makes the same time of it. Other times
// come as plain numbers.
std::string date_text(double at);

// Times may stand in any order, and more than once. Everything that is not read, a missing time
// included, is an Error: "ORIGIN: row R, column NAME: ...".
TimeColumn read_times(TextColumn text, const std::string& origin);

}  // namespace pcgs::io
