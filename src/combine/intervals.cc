#include "combine/intervals.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "combine/outliers.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr std::size_t kRemembered = 1000, kBefore = 20;
constexpr double kLargestRatio = 100;  // an error beyond so many scales is as good as there
constexpr double kMirrored = 1.0 / 8;

double laplace_quantile(double p) { return p < 0.5 ? std::log(2 * p) : -std::log(2 - 2 * p); }

constexpr double kTiny = 1e-140, kHuge = 1e140;
constexpr double kSlow = 250, kFast = 16;  // rounds that the means reach back
constexpr double kFewOfPhase = 10;         // rounds of a phase that weigh as much as all the others
constexpr double kMostOfPhase = 60;
constexpr double kLargestFeature = 3;

// A feature is trusted as in the beginning until the data say otherwise.
constexpr std::array<double, ErrorScale::kFeatures> kExponents = {0.5, 1, 0.3};
constexpr double kCurvature = 20, kMemory = 0.999, kStep = 0.5;
constexpr double kLeastExponent = -0.5, kMostExponent = 2;
constexpr double kLargestSurprise = 6;

double ratio_feature(double a, double b) {
  return std::clamp(std::log(a / b), -kLargestFeature, kLargestFeature);
}

constexpr double kFirstGain = 0.03, kLastGain = 0.002, kGainRounds = 8;
constexpr double kBalance = 0.3;  // b: how much of the correction is about one side alone
constexpr std::size_t kMostLevels = 100, kLongestSeason = 262144;
constexpr double kMost = 1e300;

IntervalOptions checked(IntervalOptions options) {
  const std::string_view objection = Intervals::objection_to(options);
  if (!objection.empty()) throw Error(ErrorKind::kValue, {.field = "intervals"}, objection);
  return options;
}

}  // namespace

ErrorQuantiles::ErrorQuantiles() {
  arrived_.reserve(kRemembered);
  sorted_.reserve(kRemembered);
  for (std::size_t i = 0; i < kBefore; ++i) {
    arrived_.push_back(laplace_quantile((static_cast<double>(i) + 0.5) / kBefore));
  }
  sorted_ = arrived_;
}

void ErrorQuantiles::add(double error) {
  const double one = std::clamp(error, -kLargestRatio, kLargestRatio);
  if (arrived_.size() < kRemembered) {
    arrived_.push_back(one);
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), one), one);
    return;
  }
  // The oldest leaves its place, and what lies between moves by one.
  const auto from = std::lower_bound(sorted_.begin(), sorted_.end(), arrived_[next_]);
  const auto to = std::upper_bound(sorted_.begin(), sorted_.end(), one);
  if (from < to) {
    *std::move(from + 1, to, from) = one;
  } else {
    std::move_backward(to, from, from + 1);
    *to = one;
  }
  arrived_[next_] = one;
  next_ = (next_ + 1) % kRemembered;
}

double ErrorQuantiles::of_errors(double probability) const {
  const auto n = static_cast<double>(sorted_.size());
  const double at = probability * n - 0.5;
  const auto beyond = [&](double extreme, double outside) {
    return extreme * (1 + std::log(0.5 / std::max(outside * n, 1e-9)) / std::log(n));
  };
  if (at <= 0) {
    const double lowest = sorted_.front();
    return lowest < 0 ? beyond(lowest, probability) : lowest;
  }
  if (at >= n - 1) {
    const double highest = sorted_.back();
    return highest > 0 ? beyond(highest, 1 - probability) : highest;
  }
  const auto below = static_cast<std::size_t>(at);
  const double share = at - static_cast<double>(below);
  return sorted_[below] + share * (sorted_[below + 1] - sorted_[below]);
}

double ErrorQuantiles::quantile(double probability) const {
  return (1 - kMirrored) * of_errors(probability) - kMirrored * of_errors(1 - probability);
}

void ErrorQuantiles::save(StateWriter& out) const {
  out.u64(arrived_.size());
  out.u64(next_);
  out.f64s(arrived_);
}

void ErrorQuantiles::load(StateReader& in) {
  const std::size_t count = in.count(sizeof(double));
  next_ = in.u64_below(count < kRemembered ? 1 : kRemembered, "the place of an error");
  if (count < kBefore || count > kRemembered) in.fail("a count of errors in it is out of range");
  arrived_.resize(count);
  in.f64s_within(arrived_, -kLargestRatio, kLargestRatio, "an error");
  sorted_ = arrived_;
  std::sort(sorted_.begin(), sorted_.end());
}

ErrorScale::ErrorScale(std::size_t season)
    : phase_(season, 1.0), seen_(season), exponents_(kExponents) {
  curvature_.fill(kCurvature);
}

std::size_t ErrorScale::phase_of(std::int64_t number) const {
  return static_cast<std::size_t>(number) % phase_.size();
}

double ErrorScale::phase(std::size_t index) const {
  return (kFewOfPhase + seen_[index] * phase_[index]) / (kFewOfPhase + seen_[index]);
}

ErrorScale::Opened ErrorScale::open(std::int64_t number, double disagreement) const {
  Opened out;
  out.disagreement = std::min(disagreement, kHuge);
  if (!knows()) {
    out.guessed = out.disagreement >= kTiny;
    if (out.guessed) out.scale = out.disagreement;
    return out;
  }
  const double slow = std::max(slow_, kTiny);
  out.features[0] = ratio_feature(std::max(fast_, kTiny), slow);
  if (!phase_.empty()) out.features[1] = ratio_feature(phase(phase_of(number)), 1);
  if (usual_disagreement_ > 0 && out.disagreement >= kTiny) {
    out.features[2] = ratio_feature(out.disagreement, usual_disagreement_);
  }
  double log_ratio = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) log_ratio += exponents_[i] * out.features[i];
  out.scale = std::clamp(slow * std::exp(log_ratio), kTiny, kHuge);
  return out;
}

void ErrorScale::observe(std::int64_t number, const Opened& opened, double error) {
  const double size = std::min(std::abs(error), kHuge);
  if (opened.scale > 0 && !opened.guessed) {
    const double surprise = std::min(size / opened.scale, kLargestSurprise) - 1;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      const double x = opened.features[i];
      curvature_[i] = kMemory * curvature_[i] + (1 - kMemory) * kCurvature + x * x;
      exponents_[i] = std::clamp(exponents_[i] + kStep * surprise * x / curvature_[i],
                                 kLeastExponent, kMostExponent);
    }
  }

  const double usual = phase_.empty() ? size : std::min(size / phase(phase_of(number)), kHuge);
  count_ = std::min(count_ + 1, kSlow);
  const double most = slow_ == 0 ? kHuge : std::max(kOutlierError * slow_, latest_);
  slow_ += (std::min(usual, most) - slow_) / count_;
  fast_ += (std::min(usual, most) - fast_) / std::min(count_, kFast);
  latest_ = usual;

  if (!phase_.empty()) {
    const std::size_t at = phase_of(number);
    const double here = std::max(std::sqrt(slow_ * fast_), kTiny);
    seen_[at] = std::min(seen_[at] + 1, kMostOfPhase);
    phase_[at] += (in_units(size, here, kOutlierError) - phase_[at]) / seen_[at];
  }
  if (opened.disagreement >= kTiny) {
    disagreements_ = std::min(disagreements_ + 1, kSlow);
    if (disagreements_ == 1) usual_disagreement_ = opened.disagreement;
    const double ratio = opened.disagreement / usual_disagreement_;
    usual_disagreement_ =
        std::clamp(usual_disagreement_ * std::pow(ratio, 1 / disagreements_), kTiny, kHuge);
  }
}

bool ErrorScale::possible(const Opened& opened) {
  const bool scale = opened.scale == 0 || (opened.scale >= kTiny && opened.scale <= kHuge);
  return scale && (!opened.guessed || opened.scale > 0) && opened.disagreement >= 0 &&
         opened.disagreement <= kHuge &&
         std::all_of(opened.features.begin(), opened.features.end(),
                     [](double x) { return std::abs(x) <= kLargestFeature; });
}

void ErrorScale::save(StateWriter& out) const {
  for (const double x : {count_, slow_, fast_, latest_, usual_disagreement_, disagreements_}) {
    out.f64(x);
  }
  out.f64s(phase_);
  out.f64s(seen_);
  out.f64s(exponents_);
  out.f64s(curvature_);
}

void ErrorScale::load(StateReader& in) {
  count_ = in.f64_within(0, kSlow, "a count of errors");
  slow_ = in.f64_within(0, kHuge, "the usual error");
  fast_ = in.f64_within(0, kHuge, "the recent error");
  latest_ = in.f64_within(0, kHuge, "the latest error");
  usual_disagreement_ = in.f64_within(0, kHuge, "the usual disagreement");
  disagreements_ = in.f64_within(0, kSlow, "a count of disagreements");
  if ((usual_disagreement_ > 0) != (disagreements_ > 0) ||
      (usual_disagreement_ > 0 && usual_disagreement_ < kTiny)) {
    in.fail("its usual disagreement is damaged");
  }
  in.f64s_within(phase_, 0, kOutlierError, "the usual error of a phase");
  in.f64s_within(seen_, 0, kMostOfPhase, "a count of errors");
  in.f64s_within(exponents_, kLeastExponent, kMostExponent, "an exponent");
  in.f64s_within(curvature_, kCurvature / 2, 1e5,
                 "a curvature");  // below the start by rounding only
}

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
  rounds_ = in.u64_below(std::uint64_t{1} << 62, "a count of intervals");
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
