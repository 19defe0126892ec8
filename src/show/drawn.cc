#include "show/drawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace pcgs::report {

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

ordered_json curve(const Points& points, ordered_json same) {
  same["round"] = drawn(points.x);
  same["value"] = drawn(points.y);
  return same;
}

}  // namespace pcgs::report
