// Long curves with fewer points, chosen so that nothing that stands out is lost.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pcgs/outcome.h"

namespace pcgs::report {

struct Points {
  std::vector<double> x, y;
};

// Takes `rounds` numbers one after the other and keeps of each of at most `buckets` equal stretches
// of them the first, the last, the lowest and the highest: a line through these covers the pixels
// that the line through all of them covers. NaN is a gap; a stretch with nothing else has one.
class ThinCurve {
 public:
  ThinCurve(std::size_t rounds, std::size_t buckets);
  void add(double x, double y);
  // What was kept, in order; a stretch that is not finished counts.
  Points points() const;

 private:
  struct Kept {
    std::size_t index;
    double x, y;
  };
  void finish(Points& out) const;

  std::size_t rounds_, buckets_;
  std::size_t seen_ = 0;
  std::size_t bucket_ = 0;  // the one that is being filled
  std::vector<Kept> here_;  // of it: first, last, lowest, highest; empty before the first
  Points kept_;
};

// The same for rows of numbers that are looked at together, such as weights that sum to 1: of each
// stretch the first row, and the one that differs most from it (in the sum of absolute
// differences); and the very last row.
class ThinRows {
 public:
  ThinRows(std::size_t rounds, std::size_t buckets);
  void add(double x, std::span<const double> row);
  void finish();  // once, after the last

  const std::vector<double>& x() const { return x_; }
  const std::vector<std::vector<double>>& rows() const { return rows_; }

 private:
  void keep_farthest();

  std::size_t rounds_, buckets_;
  std::size_t seen_ = 0;
  std::size_t bucket_ = 0;
  double far_ = 0, far_x_ = 0, last_x_ = 0;
  std::vector<double> farthest_, last_;
  std::vector<double> x_;
  std::vector<std::vector<double>> rows_;
};

// Numbers as charts take them: few digits, and in groups of rows.

using nlohmann::ordered_json;

// Five digits of what differs between them, null where not finite.
ordered_json drawn(const std::vector<double>& values);

// The rows of one curve; `same` holds what is the same in all of them.
ordered_json curve(const Points& points);
ordered_json curve(const Points& points, ordered_json same);

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
