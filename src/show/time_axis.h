// Where rounds stand along charts: at their numbers, or at their dates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/problem.h"

namespace pcgs::report {

// Positions are whole units after the origin, so that a page holds small numbers; its script makes
// dates of them.
struct Calendar {
  double origin = 0;  // milliseconds since 1970-01-01 UTC
  double unit = 1;    // milliseconds
};

// A part of an axis.
struct AxisRange {
  double first = 1, last = 1;
  std::optional<Calendar> calendar{};  // else they are rounds
};

struct TimeAxis {
  std::optional<Calendar> calendar{};
  std::vector<double> at;  // [T] 1, 2, ..., or units after the origin

  AxisRange range() const { return {at.front(), at.back(), calendar}; }
};

// "round 120", or the date.
std::string place_text(const std::optional<Calendar>& calendar, double at);

// Dates: seconds since 1970-01-01 UTC that never run backwards, at least one.
TimeAxis calendar_axis(const std::vector<double>& seconds);

// A calendar, where the problem has one that never runs backwards.
TimeAxis time_axis(const compare::Problem& problem);

}  // namespace pcgs::report
