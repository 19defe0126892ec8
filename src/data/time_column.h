// A column of times: when each round was.
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

#include <string>

#include "data/calendar.h"
#include "data/text_column.h"

namespace pcgs::io {

// Times may stand in any order, and more than once. Everything that is not read, a missing time
// included, is an Error: "ORIGIN: row R, column NAME: ...".
TimeColumn read_times(TextColumn text, const std::string& origin);

}  // namespace pcgs::io
