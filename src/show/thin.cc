#include "show/thin.h"

#include <algorithm>
#include <cmath>

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

}  // namespace pcgs::report
