// The pool's distribution function is linear between the experts' quantiles. So one sweep over all of
// them in order finds every quantile of the pool: O(1) at each of K P points to see whether a level may
// be reached there, and O(K) where it may, in which nothing that was summed before is carried on.
#include "combine/quantile_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pcgs::levels {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// At kWidth levels from `first` on: that many sums stay in registers while rows are read as they lie.
template <std::size_t kWidth>
void mean_of_levels(std::span<const double> quantiles, std::span<const double> weights,
                    std::size_t first, std::span<double> out) {
  std::array<double, kWidth> sum{}, low, high;
  low.fill(kInfinity);
  high.fill(-kInfinity);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double weight = weights[k];
    if (weight == 0) continue;
    const double* row = quantiles.data() + k * out.size() + first;
    for (std::size_t i = 0; i < kWidth; ++i) {
      sum[i] += weight * row[i];
      low[i] = std::min(low[i], row[i]);
      high[i] = std::max(high[i], row[i]);
    }
  }
  // Weights sum to 1 but for rounding, and a combination stays in the range of what it combines.
  for (std::size_t i = 0; i < kWidth; ++i) out[first + i] = std::clamp(sum[i], low[i], high[i]);
}

// The part of the way from a to b at which a line from `low` to `high` is at `level`.
double between(double a, double b, double low, double high, double level) {
  const double part = high > low ? std::clamp((level - low) / (high - low), 0.0, 1.0) : 1.0;
  return std::clamp((1 - part) * a + part * b, a, b);
}

// One of two places in an array, without a branch: compilers make one of ?: here.
template <class Point>
const Point* either(bool take_second, const Point* first, const Point* second) {
  return first + ((second - first) & -static_cast<std::ptrdiff_t>(take_second));
}

// std::merge by x of two runs of one array. Which of the two is next cannot be foreseen where they lie
// across each other, so nothing branches on it; and since each point then waits for the one before it,
// the merge goes from both ends at once.
template <class Point>
void merge_runs(const Point* a, const Point* a_end, const Point* b, const Point* b_end,
                Point* out) {
  Point* out_end = out + (a_end - a) + (b_end - b);
  // So many are left of both runs at either end, whatever comes.
  for (auto left = std::min(a_end - a, b_end - b); left > 0; --left) {
    const bool first_of_b = b->x < a->x;
    *out++ = *either(first_of_b, a, b);
    b += first_of_b;
    a += !first_of_b;
    const bool last_of_a = b_end[-1].x < a_end[-1].x;
    *--out_end = *either(last_of_a, b_end - 1, a_end - 1);
    a_end -= last_of_a;
    b_end -= !last_of_a;
  }
  while (a != a_end && b != b_end) *out++ = b->x < a->x ? *b++ : *a++;
  std::copy(b, b_end, std::copy(a, a_end, out));
}

// Mixtures as sums that are carried from point to point, and what they may be off. They decide only
// where to look, never what is there: one steep piece that has passed spoils all digits of the slope.
// Mixtures are side by side, so that none waits for the sums of another.
class Carried {
 public:
  static constexpr std::size_t kLanes = Pool::kMostMixtures;
  using Lanes = std::array<double, kLanes>;

  Carried(std::size_t experts, double half) : experts_(static_cast<double>(experts)), half_(half) {
    const Two none = {0, 0};
    pairs_.fill({none, none, none + half, none, none + experts_});
  }

  void step(const double* weights, double lump, double bend) {
    for (Pair& pair : pairs_) {
      const Two w = {weights[0], weights[1]};
      weights += 2;
      pair.value += w * lump;
      pair.slope += w * bend;
      pair.steepest = pair.steepest < pair.slope ? pair.slope : pair.steepest;
      pair.roundings += 1;
    }
  }
  // False only if all exact values are below the levels at this place. A step rounds the value by a few
  // units of its last digit and the slope by as many of the steepest one's, which then counts for all the
  // way since the start; an exact sum is a step for each expert. Not the other way round, for what is no
  // number may.
  bool may_reach(double half, const Lanes& levels) {
    const double way = half - half_;
    half_ = half;
    bool below = true;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      pairs_[i].value += pairs_[i].slope * way;
      const Two most = highest(pairs_[i]);
      below &= most[0] < levels[2 * i] && most[1] < levels[2 * i + 1];
    }
    return !below;
  }
  // The most that the exact value of one may be here.
  double highest(std::size_t m) const { return highest(pairs_[m / 2])[m % 2]; }
  // What it is here, exactly.
  void restart(std::size_t m, double value, double slope) {
    Pair& pair = pairs_[m / 2];
    const std::size_t i = m % 2;
    pair.start[i] = half_;
    pair.value[i] = value;
    pair.slope[i] = pair.steepest[i] = slope;
    pair.roundings[i] = experts_;
  }

 private:
  using Two [[gnu::vector_size(16)]] = double;  // one register of any machine
  struct Pair {
    Two value, slope, start, steepest,
        roundings;  // start: where it was exact; roundings since then
  };
  Two highest(const Pair& pair) const {
    constexpr double kUnits = 4 * std::numeric_limits<double>::epsilon();
    return pair.value + kUnits * pair.roundings * (1 + pair.steepest * (half_ - pair.start));
  }

  double experts_, half_;
  std::array<Pair, kLanes / 2> pairs_;
};

}  // namespace

void quantile_mean(std::span<const double> quantiles, std::span<const double> weights,
                   std::span<double> out) {
  constexpr std::size_t kWidth = 8;
  if (out.size() < kWidth) {
    for (std::size_t i = 0; i < out.size(); ++i) mean_of_levels<1>(quantiles, weights, i, out);
  } else {
    // The last levels are as many as the others, some of them for the second time.
    for (std::size_t i = 0; i < out.size(); i += kWidth) {
      mean_of_levels<kWidth>(quantiles, weights, std::min(i, out.size() - kWidth), out);
    }
  }
  // Sums of numbers in order are in order but for rounding.
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = std::max(out[i], out[i - 1]);
}

void quantile_median(std::span<const double> quantiles, std::span<const double> weights,
                     std::span<std::size_t> order, std::span<double> out) {
  const std::size_t count = out.size();
  std::size_t awake = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > 0) order[awake++] = k;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](std::size_t k) { return quantiles[k * count + i]; };
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(awake),
              [&](std::size_t a, std::size_t b) { return at(a) < at(b); });
    double below = 0;
    for (std::size_t n = 0; n < awake; ++n) {
      out[i] = at(order[n]);
      below += weights[order[n]];
      if (below >= 0.5 - kReached) break;
    }
  }
}

double weight_of_pool(double level) { return (2 * level - 1) * (2 * level - 1); }

void put_into_middle(const Levels& levels, std::span<const double> mean, std::span<double> pool) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double weight = weight_of_pool(levels[i]);
    const auto [low, high] = std::minmax(mean[i], pool[i]);
    pool[i] = std::clamp((1 - weight) * mean[i] + weight * pool[i], low, high);
  }
  // Weights that differ from level to level may make quantiles cross.
  uncross(pool);
}

Pool::Pool(const Levels& levels, std::size_t experts)
    : levels_(levels),
      experts_(experts),
      tops_(levels.values().begin(), levels.values().end()),
      slopes_(experts * levels.size()),
      turns_(experts * levels.size()),
      passed_(experts),
      mixed_(experts * kMostMixtures) {
  tops_.back() = 1;
  points_.reserve(experts * levels.size());
  merged_.reserve(experts * levels.size());
  buckets_.reserve(experts * levels.size() + 1);
  bucket_of_.reserve(experts * levels.size());
}

void Pool::arrange(std::span<const double> quantiles) {
  quantiles_ = quantiles;
  points_.resize(slopes_.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < experts_; ++k) {
    if (std::isnan(quantile(k, 0))) continue;
    add_points(k, points_.data() + count);
    count += levels_.size();
  }
  points_.resize(count);
  merged_.resize(count);
  if (!sort_by_buckets()) sort_by_merging();
}

// Points are nearly spread evenly where nobody is absurd: each goes to its part of the range, and what is
// left to do is done by insertion. False if too many are in one part.
bool Pool::sort_by_buckets() {
  if (points_.empty()) return true;
  constexpr std::uint32_t kFull = 32;
  double low = kInfinity, high = -kInfinity;  // halves, because a difference of doubles may be none
  for (std::size_t i = 0; i < points_.size(); i += levels_.size()) {
    low = std::min(low, 0.5 * points_[i].x);
    high = std::max(high, 0.5 * points_[i + levels_.size() - 1].x);
  }
  if (low == high) return true;
  const auto last = static_cast<double>(points_.size() - 1);
  const double scale = last / (high - low);
  if (!(scale > 0 && scale < kInfinity)) return false;
  buckets_.assign(points_.size() + 1, 0);
  bucket_of_.clear();
  for (const Point& point : points_) {
    bucket_of_.push_back(static_cast<std::uint32_t>(std::min((0.5 * point.x - low) * scale, last)));
    ++buckets_[bucket_of_.back() + 1];
  }
  if (*std::ranges::max_element(buckets_) > kFull) return false;
  for (std::size_t i = 1; i < buckets_.size(); ++i) buckets_[i] += buckets_[i - 1];
  for (std::size_t i = 0; i < points_.size(); ++i) merged_[buckets_[bucket_of_[i]]++] = points_[i];
  for (std::size_t i = 1; i < merged_.size(); ++i) {
    const Point point = merged_[i];
    std::size_t j = i;
    for (; j > 0 && point.x < merged_[j - 1].x; --j) merged_[j] = merged_[j - 1];
    merged_[j] = point;
  }
  points_.swap(merged_);
  return true;
}

// Every expert's are in order already.
void Pool::sort_by_merging() {
  const std::size_t count = points_.size();
  for (std::size_t run = levels_.size(); run < count; run *= 2) {
    const auto at = [&](std::size_t i) { return points_.data() + std::min(i, count); };
    for (std::size_t from = 0; from < count; from += 2 * run) {
      merge_runs<Point>(at(from), at(from + run), at(from + run), at(from + 2 * run),
                        merged_.data() + from);
    }
    points_.swap(merged_);
  }
}

void Pool::add_points(std::size_t expert, Point* out) {
  double slope = 0, left = 0;  // of the piece that ends here, and where it ends
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const std::size_t index = expert * levels_.size() + i;
    out[i] = {quantile(expert, i), static_cast<std::uint32_t>(expert),
              static_cast<std::uint32_t>(i)};
    const bool last = i + 1 == levels_.size();
    const double width = last ? 0 : 0.5 * quantile(expert, i + 1) - 0.5 * quantile(expert, i);
    // Where there is no way to go, the next point is this one. A slope must not be infinite.
    slopes_[index] = width > 0 ? std::min((levels_[i + 1] - levels_[i]) / width, 1e300) : 0;
    turns_[index] = {tops_[i] - left, slopes_[index] - slope};
    slope = slopes_[index];
    left = tops_[i] + slope * width;
  }
}

Pool::Line Pool::mixture(std::span<const double> weights, double from, double to) const {
  Line sum{0, 0, 0};
  for (std::size_t k = 0; k < experts_; ++k) {
    if (passed_[k] == 0) continue;
    const std::size_t i = passed_[k] - 1;
    const double slope = slopes_[k * levels_.size() + i], begin = 0.5 * quantile(k, i);
    sum.from += weights[k] * (tops_[i] + slope * (0.5 * from - begin));
    sum.to += weights[k] * (tops_[i] + slope * (0.5 * to - begin));
    sum.slope += weights[k] * slope;
  }
  return sum;
}

void Pool::linear(std::span<const Mixture> mixtures) {
  std::ranges::fill(passed_, 0u);
  std::ranges::fill(mixed_, 0.0);
  for (std::size_t m = 0; m < mixtures.size(); ++m) {
    for (std::size_t k = 0; k < experts_; ++k) {
      mixed_[k * kMostMixtures + m] = mixtures[m].weights[k];
    }
  }
  Carried carried(experts_, points_.empty() ? 0 : 0.5 * points_.front().x);
  std::array<std::size_t, kMostMixtures> next_level{};
  std::array<double, kMostMixtures> wanted;
  wanted.fill(kInfinity);
  std::fill_n(wanted.begin(), mixtures.size(), levels_[0] - kReached);
  double x = 0;
  for (std::size_t point = 0; point < points_.size();) {
    x = points_[point].x;
    do {  // all that have a quantile here
      const auto [here, k, i] = points_[point];
      const Turn& turn = turns_[k * levels_.size() + i];
      passed_[k] = i + 1;
      carried.step(mixed_.data() + k * kMostMixtures, turn.lump, turn.bend);
    } while (++point < points_.size() && points_[point].x == x);
    const double next = point < points_.size() ? points_[point].x : x;
    if (!carried.may_reach(0.5 * next, wanted)) continue;
    for (std::size_t m = 0; m < mixtures.size(); ++m) {
      std::size_t& level = next_level[m];
      if (carried.highest(m) < wanted[m]) continue;
      const auto [weights, out] = mixtures[m];
      const Line line = mixture(weights, x, next);
      for (; level < levels_.size() && levels_[level] <= line.from + kReached; ++level) {
        out[level] = x;
      }
      for (; level < levels_.size() && levels_[level] <= line.to; ++level) {
        out[level] = between(x, next, line.from, line.to, levels_[level]);
      }
      carried.restart(m, line.to, line.slope);
      wanted[m] = level < levels_.size() ? levels_[level] - kReached : kInfinity;
    }
  }
  for (std::size_t m = 0; m < mixtures.size(); ++m) {
    for (std::size_t i = next_level[m]; i < levels_.size(); ++i) mixtures[m].out[i] = x;
  }
}

}  // namespace pcgs::levels
