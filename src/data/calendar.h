// One date of the Gregorian calendar, with or without a clock, as a field of a text file writes it.
// The forms are those of time_column.h. No locale and no table of time zones has a say.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace pcgs::io {

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

}  // namespace pcgs::io
