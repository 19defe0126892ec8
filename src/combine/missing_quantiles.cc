#include "combine/missing_quantiles.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/kernels.h"

namespace pcgs::levels {

namespace {

bool is_given(double x) { return !std::isnan(x); }

}  // namespace

Completion::Completion(const Levels& levels) : levels_(levels), steps_(levels.size() - 1) {}

std::size_t Completion::put_in_order(std::span<double> quantiles, std::span<std::uint8_t> awake) {
  const std::size_t count = levels_.size();
  std::size_t crossed = 0;
  for (std::size_t k = 0; k < awake.size(); ++k) {
    const auto row = quantiles.subspan(k * count, count);
    // Those that are given, in order, at the places of those that are given.
    given_.clear();
    std::ranges::copy_if(row, std::back_inserter(given_), is_given);
    const std::size_t given = given_.size();
    awake[k] = given > 0;
    if (crossings(given_) > 0) {
      ++crossed;
      uncross(given_);
      std::size_t next = 0;
      for (double& x : row) {
        if (is_given(x)) x = given_[next++];
      }
    }
    if (given > 0 && given < count) interpolate(row);
  }
  return crossed;
}

void Completion::fill(std::span<double> quantiles, std::span<const std::uint8_t> awake) {
  const std::size_t count = levels_.size();
  const auto is_whole = [&](std::size_t k) {
    return is_given(quantiles[k * count]) && is_given(quantiles[(k + 1) * count - 1]);
  };
  bool all = true;
  for (std::size_t k = 0; k < awake.size(); ++k) all = all && (!awake[k] || is_whole(k));
  if (all) return;
  find_steps(quantiles, awake);
  for (std::size_t k = 0; k < awake.size(); ++k) {
    if (awake[k] && !is_whole(k)) borrow(quantiles.subspan(k * count, count));
  }
}

void Completion::interpolate(std::span<double> row) const {
  std::size_t before = row.size();  // the last level that is given; none yet
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!is_given(row[i])) continue;
    for (std::size_t j = before + 1; before < row.size() && j < i; ++j) {
      const double part = (levels_[j] - levels_[before]) / (levels_[i] - levels_[before]);
      row[j] = std::clamp((1 - part) * row[before] + part * row[i], row[before], row[i]);
    }
    before = i;
  }
}

void Completion::find_steps(std::span<const double> quantiles,
                            std::span<const std::uint8_t> awake) {
  const std::size_t count = levels_.size();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    given_.clear();
    for (std::size_t k = 0; k < awake.size(); ++k) {
      const double from = quantiles[k * count + i], to = quantiles[k * count + i + 1];
      if (!awake[k] || !is_given(from) || !is_given(to)) continue;
      given_.push_back(std::min(to - from, std::numeric_limits<double>::max()));
    }
    steps_[i] = given_.empty() ? 0 : lower_median(given_);
  }
}

void Completion::borrow(std::span<double> row) const {
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto first = static_cast<std::size_t>(std::ranges::find_if(row, is_given) - row.begin());
  std::size_t last = row.size() - 1;
  while (!is_given(row[last])) --last;
  for (std::size_t i = first; i-- > 0;) row[i] = std::max(row[i + 1] - steps_[i], -kMost);
  for (std::size_t i = last + 1; i < row.size(); ++i) {
    row[i] = std::min(row[i - 1] + steps_[i - 1], kMost);
  }
}

}  // namespace pcgs::levels
