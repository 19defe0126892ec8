#include "combine/clipping.h"

#include <algorithm>
#include <cmath>

#include "combine/quantile_kernels.h"

namespace pcgs::levels {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kReach = 2, kSeriesReach = 20, kFar = 10;
constexpr std::uint64_t kOutcomes = 3;

std::size_t nearest(const Levels& levels, double level) {
  const auto values = levels.values();
  const auto at =
      std::ranges::min_element(values, {}, [&](double x) { return std::abs(x - level); });
  return static_cast<std::size_t>(at - values.begin());
}

// The difference of two doubles may be none; it is never NaN here.
double distance(double a, double b) { return std::min(std::abs(a - b), kMost); }

}  // namespace

double Anchor::most() const {
  return outcomes_ < kOutcomes ? kInfinity : kSeriesReach * std::max(half_width_, distance_);
}

void Anchor::move_to(double middle, double half_width) {
  there_ = true;
  middle_ = middle;
  if (half_width > 0) half_width_ = std::min(half_width, kMost);
}

void Anchor::learn(double outcome, double middle) {
  ++outcomes_;
  distance_ += (distance(outcome, middle) - distance_) / static_cast<double>(outcomes_);
}

void Anchor::save(StateWriter& out) const {
  out.u64(there_ ? 1 : 0);
  out.f64(middle_);
  out.f64(half_width_);
  out.f64(distance_);
  out.u64(outcomes_);
}

void Anchor::load(StateReader& in) {
  there_ = in.u64_below(2, "a flag") == 1;
  middle_ = in.f64_within(-kMost, kMost, "an anchor");
  half_width_ = in.f64_within(0, kMost, "a half-width");
  distance_ = in.f64_within(0, kMost, "a distance");
  outcomes_ = in.u64_below(std::uint64_t{1} << 53, "a count");
}

Clipping::Clipping(const Levels& levels, std::size_t experts)
    : count_(levels.size()),
      low_(nearest(levels, 0.05)),
      middle_(nearest(levels, 0.5)),
      high_(nearest(levels, 0.95)),
      stride_(padded(levels.size() + 2)),
      sorted_(experts * stride_),
      distances_(experts * stride_),
      centre_(levels.size()),
      reach_(levels.size()),
      lowest_(levels.size()),
      highest_(levels.size()) {}

void Clipping::gather(std::span<const double> forecasts, std::span<const std::uint8_t> awake) {
  rows_ = 0;
  for (std::size_t k = 0; k < awake.size(); ++k) {
    if (!awake[k]) continue;
    const double* const from = forecasts.data() + k * count_;
    double* const to = sorted_.data() + rows_++ * stride_;
    std::copy_n(from, count_, to);
    to[count_] = distance(from[high_], from[middle_]);
    to[count_ + 1] = distance(from[middle_], from[low_]);
  }
}

// Of an even number the mean of the two in the middle.
double Clipping::median_of(const double* sorted, std::size_t column) const {
  const auto at = [&](std::size_t i) { return sorted[i * stride_ + column]; };
  return rows_ % 2 == 1 ? at(rows_ / 2) : 0.5 * at(rows_ / 2 - 1) + 0.5 * at(rows_ / 2);
}

// Of what is held: holding changes no order.
double Clipping::median_held(std::size_t level) const {
  const auto at = [&](std::size_t i) {
    return std::clamp(sorted_[i * stride_ + level], lowest_[level], highest_[level]);
  };
  return rows_ % 2 == 1 ? at(rows_ / 2) : 0.5 * at(rows_ / 2 - 1) + 0.5 * at(rows_ / 2);
}

void Clipping::bounds_of_many() {
  const double half_width =
      std::max(median_of(sorted_.data(), count_), median_of(sorted_.data(), count_ + 1));
  for (std::size_t i = 0; i < count_; ++i) centre_[i] = median_of(sorted_.data(), i);
  std::copy_n(sorted_.data(), rows_ * stride_, distances_.data());
  for (std::size_t row = 0; row < rows_; ++row) {
    double* const of_row = distances_.data() + row * stride_;
    for (std::size_t i = 0; i < count_; ++i) of_row[i] = distance(of_row[i], centre_[i]);
  }
  sort_columns(distances_.data(), rows_, stride_);
  for (std::size_t i = 0; i < count_; ++i) {
    reach_[i] = kReach * std::max(half_width, median_of(distances_.data(), i));
  }
}

void Clipping::bounds_of_two(const Anchor& anchor) {
  const auto from_anchor = [&](std::size_t row) {
    return distance(sorted_[row * stride_ + middle_], anchor.middle());
  };
  const double* const nearer = sorted_.data() + (from_anchor(1) < from_anchor(0) ? stride_ : 0);
  const double unit = std::max({anchor.half_width(), nearer[count_], nearer[count_ + 1],
                                distance(nearer[middle_], anchor.middle())});
  std::copy_n(nearer, count_, centre_.begin());
  std::ranges::fill(reach_, kReach * unit);
}

void Clipping::clip(std::span<const double> forecasts, std::span<const std::uint8_t> awake,
                    Anchor& anchor, std::span<double> clipped) {
  gather(forecasts, awake);
  if (rows_ == 2 && anchor.is_there()) {
    bounds_of_two(anchor);
  } else {
    sort_columns(sorted_.data(), rows_, stride_);
    bounds_of_many();
  }
  const double most = anchor.is_there() ? anchor.most() : kInfinity;
  least_ = anchor.middle() - most;
  most_ = anchor.middle() + most;
  // In order, so that what is held stays in order.
  double highest = -kInfinity, lowest = kInfinity;
  for (std::size_t i = 0; i < count_; ++i) {
    highest = std::max(highest, centre_[i] + reach_[i]);
    highest_[i] = std::clamp(highest, least_, most_);
  }
  for (std::size_t i = count_; i-- > 0;) {
    lowest = std::min(lowest, centre_[i] - reach_[i]);
    lowest_[i] = std::clamp(lowest, least_, most_);
  }
  for (std::size_t k = 0; k < awake.size(); ++k) {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t at = k * count_ + i;  // NaN stays NaN: nothing is less than it
      clipped[at] = std::clamp(forecasts[at], lowest_[i], highest_[i]);
    }
  }
  const double middle = median_held(middle_);
  anchor.move_to(
      middle, std::max(distance(median_held(high_), middle), distance(middle, median_held(low_))));
}

void Clipping::release(std::span<const double> forecast, std::span<double> clipped) const {
  for (std::size_t i = 0; i < count_; ++i) clipped[i] = std::clamp(forecast[i], least_, most_);
}

bool Clipping::is_far(std::span<const double> forecast) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (distance(forecast[i], centre_[i]) > kFar * reach_[i]) return true;
  }
  return false;
}

}  // namespace pcgs::levels
