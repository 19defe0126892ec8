#include "show/time_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "data/times.h"

namespace pcgs::report {

TimeAxis calendar_axis(const std::vector<double>& seconds) {
  std::vector<std::int64_t> after;  // the first, in milliseconds
  std::int64_t unit = 0;
  for (const double at : seconds) {
    after.push_back(std::llround(1000 * (at - seconds.front())));
    unit = std::gcd(unit, after.back());
  }
  if (unit == 0) unit = 1000;
  TimeAxis axis;
  axis.calendar = {std::round(1000 * seconds.front()), static_cast<double>(unit)};
  for (const std::int64_t at : after) axis.at.push_back(static_cast<double>(at / unit));
  return axis;
}

TimeAxis time_axis(const compare::Problem& problem) {
  const bool on_calendar = problem.rounds() > 0 && problem.times && problem.times->calendar &&
                           std::is_sorted(problem.times->at.begin(), problem.times->at.end());
  if (on_calendar) return calendar_axis(problem.times->at);
  TimeAxis axis;
  axis.at.resize(problem.rounds());
  std::iota(axis.at.begin(), axis.at.end(), 1.0);
  return axis;
}

std::string place_text(const std::optional<Calendar>& calendar, double at) {
  if (!calendar) return fmt::format("round {:.0f}", at);
  const std::string text = io::date_text((calendar->origin + calendar->unit * at) / 1000);
  return std::fmod(calendar->unit, 86.4e6) == 0 && text.ends_with(" 00:00")
             ? text.substr(0, text.size() - 6)
             : text;
}

}  // namespace pcgs::report
