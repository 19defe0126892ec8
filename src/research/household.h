// The household file of UCI dataset 235, as published (household_power_consumption.txt):
//
//     Date;Time;Global_active_power;Global_reactive_power;Voltage;...;Sub_metering_3
//     16/12/2006;17:24:00;4.216;0.418;234.840;18.400;0.000;1.000;17.000
//     28/4/2007;00:21:00;?;?;?;?;?;?;
//
// Semicolons, dates d/m/yyyy, one row per minute, later and later; ? or nothing where a value is
// missing. Lines end in LF or CRLF; the last may end in nothing. Anything else is refused with an
// Error that names the row and the line. A file that was cut off is refused if its last line has
// too few fields; a cut inside the last field, or at the end of a line, cannot be told from the
// end.
//
// What comes out are means over stretches of so many minutes, counted from midnight: rows without a
// value are dropped, and so are stretches without a row that has one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pcgs::io {

struct HouseholdRequest {
  std::string column = "Global_active_power";
  std::size_t minutes = 10;  // divides a day
  // Told now and then how many more bytes have been read; may be empty.
  std::function<void(std::size_t)> progress = {};
};

struct HouseholdSeries {
  std::size_t rows = 0;
  std::size_t missing = 0;     // rows without a value
  std::vector<double> values;  // means, oldest first; at least one
};

// Whether a file that starts so is meant to be one of these.
bool is_household(std::string_view text);

HouseholdSeries parse_household(std::string_view text, const std::string& origin,
                                const HouseholdRequest& request = {});

}  // namespace pcgs::io
