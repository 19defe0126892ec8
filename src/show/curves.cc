#include "show/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

#include "data/times.h"
#include "run/hindsight.h"

namespace pcgs::report {

using compare::stretch_of;

ThinCurve::ThinCurve(std::size_t rounds, std::size_t buckets)
    : rounds_(std::max<std::size_t>(rounds, 1)),
      buckets_(std::clamp<std::size_t>(buckets, 1, rounds_)) {}

void ThinCurve::add(double x, double y) {
  const std::size_t bucket = stretch_of(seen_, rounds_, buckets_);
  if (bucket != bucket_) {
    finish(kept_);
    here_.clear();
    bucket_ = bucket;
  }
  const Kept now{seen_++, x, y};
  if (here_.empty()) {
    here_.assign(4, now);
    return;
  }
  Kept &last = here_[1], &lowest = here_[2], &highest = here_[3];
  last = now;
  if (std::isnan(lowest.y) || y < lowest.y) lowest = now;
  if (std::isnan(highest.y) || y > highest.y) highest = now;
}

void ThinCurve::finish(Points& out) const {
  auto order = here_;
  std::sort(order.begin(), order.end(),
            [](const Kept& a, const Kept& b) { return a.index < b.index; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i].index == order[i - 1].index) continue;
    out.x.push_back(order[i].x);
    out.y.push_back(order[i].y);
  }
}

Points ThinCurve::points() const {
  Points all = kept_;
  finish(all);
  return all;
}

ThinRows::ThinRows(std::size_t rounds, std::size_t buckets)
    : rounds_(std::max<std::size_t>(rounds, 1)),
      buckets_(std::clamp<std::size_t>(buckets, 1, rounds_)) {}

void ThinRows::finish() {
  keep_farthest();
  if (x_.empty() || x_.back() == last_x_) return;
  x_.push_back(last_x_);
  rows_.push_back(last_);
}

void ThinRows::keep_farthest() {
  if (far_ > 0) {
    x_.push_back(far_x_);
    rows_.push_back(farthest_);
  }
  far_ = 0;
}

void ThinRows::add(double x, std::span<const double> row) {
  last_x_ = x;
  last_.assign(row.begin(), row.end());
  const std::size_t bucket = stretch_of(seen_, rounds_, buckets_);
  if (seen_++ == 0 || bucket != bucket_) {
    keep_farthest();
    bucket_ = bucket;
    x_.push_back(x);
    rows_.emplace_back(row.begin(), row.end());
    return;
  }
  double distance = 0;
  for (std::size_t k = 0; k < row.size(); ++k) distance += std::abs(row[k] - rows_.back()[k]);
  if (distance <= far_) return;
  far_ = distance;
  far_x_ = x;
  farthest_.assign(row.begin(), row.end());
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

ordered_json curve(const Points& points) { return curve(points, ordered_json::object()); }

ordered_json curve(const Points& points, ordered_json same) {
  same["round"] = drawn(points.x);
  same["value"] = drawn(points.y);
  return same;
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
