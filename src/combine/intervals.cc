#include "combine/intervals.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr double kFirstGain = 0.03, kLastGain = 0.002, kGainRounds = 8;
constexpr double kBalance = 0.3;  // b: how much of the correction is about one side alone
constexpr std::size_t kMostLevels = 100, kLongestSeason = 262144;
constexpr double kMost = 1e300;

IntervalOptions checked(IntervalOptions options) {
  const std::string_view objection = Intervals::objection_to(options);
  if (!objection.empty()) throw Error(std::string(objection));
  return options;
}

}  // namespace

std::string_view Intervals::objection_to(const IntervalOptions& options) {
  static_assert(kMostLevels == 100 && kLongestSeason == 262144);
  const auto& levels = options.levels;
  if (levels.empty() || levels.size() > kMostLevels) {
    return "intervals have no level or too many; give 1 to 100 levels";
  }
  double last = 0;
  for (const double level : levels) {
    if (!(level > last && level < 1)) {
      return "levels of intervals must increase, and lie between 0 and 1; give 0.8,0.95, say";
    }
    last = level;
  }
  if (options.season == 1 || options.season > kLongestSeason) {
    return "the season of intervals is out of range; give 2 to 262144 rounds, or 0 for none";
  }
  return {};
}

Intervals::Intervals(IntervalOptions options)
    : options_(checked(std::move(options))),
      scale_(options_.season),
      misses_(options_.levels.size()) {}

// Below for the sign 1, above for -1.
double Intervals::left_out(std::size_t level, double sign) const {
  const double a = 1 - options_.levels[level];
  const double gain =
      std::clamp(kGainRounds / (static_cast<double>(rounds_) + 1), kLastGain, kFirstGain);
  const Misses& d = misses_[level];
  const double u = gain / a * (d.below + d.above + sign * kBalance * (d.below - d.above));
  return std::min(a / 2 * std::exp(-std::asinh(u)), 0.5);
}

void Intervals::open(std::int64_t number, double disagreement, Opened& out) const {
  out.expected = scale_.open(number, disagreement);
  out.around_zero.clear();
  const double scale = out.expected.scale;
  if (scale == 0) return;
  for (std::size_t i = 0; i < misses_.size(); ++i) {
    Interval one{options_.levels[i], scale * quantiles_.quantile(left_out(i, 1)),
                 scale * quantiles_.quantile(1 - left_out(i, -1))};
    if (i > 0) {
      one.low = std::min(one.low, out.around_zero.back().low);
      one.high = std::max(one.high, out.around_zero.back().high);
    }
    out.around_zero.push_back(one);
  }
}

void Intervals::observe(std::int64_t number, const Opened& opened, double error) {
  const double finite = std::clamp(error, -kMost, kMost);
  if (!opened.around_zero.empty()) {
    if (!opened.expected.guessed) quantiles_.add(finite / opened.expected.scale);
    for (std::size_t i = 0; i < misses_.size(); ++i) {
      const double side = (1 - options_.levels[i]) / 2;
      misses_[i].below += (finite < opened.around_zero[i].low ? 1 : 0) - side;
      misses_[i].above += (finite > opened.around_zero[i].high ? 1 : 0) - side;
    }
    ++rounds_;
  }
  scale_.observe(number, opened.expected, finite);
}

void Intervals::save(StateWriter& out) const {
  scale_.save(out);
  quantiles_.save(out);
  out.u64(rounds_);
  for (const Misses& d : misses_) {
    out.f64(d.below);
    out.f64(d.above);
  }
}

void Intervals::load(StateReader& in) {
  scale_.load(in);
  quantiles_.load(in);
  rounds_ = in.u64();
  if (rounds_ >= std::uint64_t{1} << 62) in.fail("a count of intervals in it is out of range");
  const auto most = static_cast<double>(rounds_);
  for (Misses& d : misses_) {
    d.below = in.f64_within(-most, most, "a count of misses");
    d.above = in.f64_within(-most, most, "a count of misses");
  }
}

void Intervals::save(StateWriter& out, const Opened& opened) const {
  out.f64(opened.expected.scale);
  out.u64(opened.expected.guessed ? 1 : 0);
  out.f64(opened.expected.disagreement);
  out.f64s(opened.expected.features);
  out.u64(opened.around_zero.size());
  for (const Interval& one : opened.around_zero) {
    out.f64(one.low);
    out.f64(one.high);
  }
}

void Intervals::load(StateReader& in, Opened& opened) const {
  opened.expected.scale = in.f64();
  opened.expected.guessed = in.u64() != 0;
  opened.expected.disagreement = in.f64();
  in.f64s(opened.expected.features);
  const bool known = in.u64() != 0;
  if (!ErrorScale::possible(opened.expected) || known != (opened.expected.scale > 0)) {
    in.fail("an interval in it is damaged");
  }
  opened.around_zero.clear();
  if (!known) return;
  double low = kMost, high = -kMost;
  for (const double level : options_.levels) {
    const Interval one{level, in.f64_within(-kMost, kMost, "the end of an interval"),
                       in.f64_within(-kMost, kMost, "the end of an interval")};
    low = std::min(low, one.low);
    high = std::max(high, one.high);
    if (!(one.low == low && one.high == high && low <= high)) {
      in.fail("an interval in it is damaged");
    }
    opened.around_zero.push_back(one);
  }
}

}  // namespace pcgs
