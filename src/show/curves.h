// Curves: of long ones so many points that nothing that stands out is lost, and where these stand in time.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pcgs/outcome.h"

namespace pcgs::report {

using nlohmann::ordered_json;

struct Points {
  std::vector<double> x, y;

  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
};

// Of a curve over so many rounds, in each of at most `buckets` equal stretches of them the first point,
// the last, the lowest and the highest: a line through these covers the pixels that the line through
// all of them covers. NaN is a gap; a stretch with nothing else has one. The curve may end early.
Points thin(const Points& all, std::size_t rounds, std::size_t buckets);

// As charts take numbers: five digits of what differs between them, null where not finite.
ordered_json drawn(const std::vector<double>& values);

// Where rounds stand along charts: at their numbers, or at their dates.

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
TimeAxis time_axis(const Problem& problem);

}  // namespace pcgs::report
