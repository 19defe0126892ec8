#include "show/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "data/times.h"
#include "run/hindsight.h"

namespace pcgs::report {

using compare::stretch_of;

Points thin(const Points& all, std::size_t rounds, std::size_t buckets) {
  rounds = std::max<std::size_t>(rounds, 1);
  buckets = std::clamp<std::size_t>(buckets, 1, rounds);
  Points out;
  for (std::size_t begin = 0, end = 0; begin < all.y.size(); begin = end) {
    const std::size_t bucket = stretch_of(begin, rounds, buckets);
    std::size_t low = begin, high = begin;
    for (; end < all.y.size() && stretch_of(end, rounds, buckets) == bucket; ++end) {
      const double y = all.y[end];
      if (std::isnan(all.y[low]) || y < all.y[low]) low = end;
      if (std::isnan(all.y[high]) || y > all.y[high]) high = end;
    }
    for (const std::size_t i : std::set{begin, low, high, end - 1}) out.add(all.x[i], all.y[i]);
  }
  return out;
}

ordered_json drawn(const std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  // Of a curve far from zero the digits that matter are the last ones.
  const double offset = std::max(std::abs(low), std::abs(high)) / (high - low);
  const int digits =
      5 + (offset > 1 && offset < 1e10 ? static_cast<int>(std::ceil(std::log10(offset))) : 0);
  ordered_json out = ordered_json::array();
  for (const double x : values) {
    if (!std::isfinite(x)) {
      out.push_back(nullptr);
    } else if (x == std::floor(x) && std::abs(x) < 1e15) {
      out.push_back(static_cast<std::int64_t>(x));
    } else {
      out.push_back(std::strtod(fmt::format("{:.{}g}", x, digits).c_str(), nullptr));
    }
  }
  return out;
}

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

TimeAxis time_axis(const Problem& problem) {
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
