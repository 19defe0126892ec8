#include "pcgs/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/kernels.h"
#include "data/invariant.h"
#include "pcgs/error.h"
#include "pcgs/loss_scale.h"

namespace pcgs {

namespace {

constexpr std::string_view kTaskNames[] = {"squared", "absolute", "pinball", "log"};

constexpr double kFarOut = 20;                           // C / S
constexpr double kLongMemory = 1000, kShortMemory = 30;  // rounds
constexpr double kLeast = 1e-290;  // C stays where dividing by it neither overflows nor underflows
constexpr double kMost = 1e300;

}  // namespace

TaskLoss::TaskLoss(std::string_view name, double tau) : tau_(tau) {
  const auto* found = std::find(std::begin(kTaskNames), std::end(kTaskNames), name);
  if (found == std::end(kTaskNames)) {
    throw Error(ErrorKind::kUnknown, {.field = "loss"},
                fmt::format("'{}' is not a loss; choose squared, absolute, pinball or log", name));
  }
  kind_ = static_cast<Kind>(found - std::begin(kTaskNames));
  if (!(tau > 0 && tau < 1)) {
    throw Error(ErrorKind::kValue, {.field = "tau"},
                fmt::format("tau is {}; give a number strictly between 0 and 1", tau));
  }
}

std::string_view TaskLoss::name() const { return kTaskNames[static_cast<std::size_t>(kind_)]; }

// Calls a function of (forecast, outcome) that knows the kind, so that loops need not ask.
template <class Use>
auto TaskLoss::with_kind(const Use& use) const {
  switch (kind_) {
    case Kind::kSquared:
      return use([](double f, double y) { return (f - y) * (f - y); });
    case Kind::kAbsolute:
      return use([](double f, double y) { return std::abs(f - y); });
    case Kind::kPinball:
      return use([tau = tau_](double f, double y) {
        return f > y ? (1 - tau) * (f - y) : -tau * (f - y);
      });
    case Kind::kLog:
      break;
  }
  return use([](double f, double y) { return y == 1 ? -std::log(f) : -std::log1p(-f); });
}

double TaskLoss::operator()(double forecast, double outcome) const {
  return with_kind([&](const auto& loss) { return loss(forecast, outcome); });
}

void TaskLoss::each(std::span<const double> forecasts, double outcome,
                    std::span<double> losses) const {
  invariant(forecasts.size() == losses.size(), "one loss per forecast");
  with_kind([&](const auto& loss) {
    for (std::size_t k = 0; k < losses.size(); ++k) losses[k] = loss(forecasts[k], outcome);
  });
}

double TaskLoss::slope(double forecast, double outcome) const {
  const double error = forecast - outcome;
  switch (kind_) {
    case Kind::kSquared:
      return 2 * error;
    case Kind::kAbsolute:
      return error > 0 ? 1 : error < 0 ? -1 : 0;
    case Kind::kPinball:
      return error > 0 ? 1 - tau_ : -tau_;
    case Kind::kLog: {
      constexpr double kSurest = 1e-12;  // beyond it a slope would be no number to learn from
      return outcome == 1 ? -1 / std::max(forecast, kSurest) : 1 / std::max(1 - forecast, kSurest);
    }
  }
  invariant(false, "a loss of a known kind");
  return 0;
}

std::string_view TaskLoss::objection_to_forecast(double forecast) const {
  if (!std::isfinite(forecast)) return "is not a finite number";
  if (kind_ == Kind::kLog && !(forecast >= 0 && forecast <= 1)) {
    return "is not a probability in [0, 1], which the log loss needs";
  }
  return {};
}

std::string_view TaskLoss::objection_to_outcome(double outcome) const {
  if (!std::isfinite(outcome)) return "is not a finite number";
  if (kind_ == Kind::kLog && outcome != 0 && outcome != 1) {
    return "is not 0 or 1, which the log loss needs";
  }
  return {};
}

LossScale LossScale::fixed(double c) {
  if (!(c >= kLeast && c <= kMost)) {
    throw Error(fmt::format(
        "a loss scale of {} cannot be used; give a positive number{}", c,
        c > 0 && std::isfinite(c) ? fmt::format(" between {} and {}", kLeast, kMost) : ""));
  }
  return LossScale(Kind::kFixed, c);
}

LossScale LossScale::from(std::string_view text, std::string_view what) {
  constexpr std::string_view kCatoniPrefix = "catoni:";
  const bool catoni = text.starts_with(kCatoniPrefix);
  const std::string_view size = catoni ? text.substr(kCatoniPrefix.size()) : text;
  LossScale scale = following();
  if (size != "auto") {
    double c = 0;
    const auto [stop, problem] = std::from_chars(size.data(), size.data() + size.size(), c);
    if (problem != std::errc() || stop != size.data() + size.size()) {
      throw Error(fmt::format(
          "{} is '{}'; give a positive number or auto, with catoni: before it for that bound", what,
          text));
    }
    scale = fixed(c);
  }
  return scale.bounded_by(catoni ? LossBound::kCatoni : LossBound::kClip);
}

LossScale LossScale::bounded_by(LossBound bound) const {
  invariant(kind_ != Kind::kUnit || bound == LossBound::kClip, "losses in [0,1] need no bound");
  LossScale out = *this;
  out.bound_ = bound;
  return out;
}

double LossScale::counts_as_one(double c) const {
  return bound_ == LossBound::kClip ? c : c / std::numbers::ln2;
}

// 1 - z + z^2/2 = (1 + (1 - z)^2) / 2. The first form keeps the digits of a small z, the second
// rises to 1 without a wiggle.
double catoni_bounded(double x) {
  const double z = x * std::numbers::ln2;
  if (z >= 1) return 1;
  if (z < 0.5) return -std::log1p(-z * (1 - z / 2)) / std::numbers::ln2;
  const double left = 1 - z;
  return std::min(1 - std::log1p(left * left) / std::numbers::ln2, 1.0);
}

double LossScale::following_value() const {
  return rounds_ > 0 ? std::clamp(kFarOut * std::max(slow_, fast_), kLeast, kMost) : 1;
}

double LossScale::value(LossSource source) const {
  if (wants_unit(source)) return 1;
  return kind_ == Kind::kFixed ? fixed_ : following_value();
}

double LossScale::advance(std::span<const double> raw, std::span<const std::uint8_t> awake,
                          LossSource source) {
  if (wants_unit(source)) return 1;
  if (kind_ == Kind::kFixed) return fixed_;
  scratch_.resize(raw.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    scratch_[count] = raw[k];
    count += (awake.empty() || awake[k] != 0) && raw[k] <= kMost ? 1U : 0U;
  }
  if (count == 0) return following_value();
  const auto counted = std::span(scratch_).first(count);
  double typical = upper_median(counted);
  if (rounds_ == 0) {
    // Divided before it is summed: losses may be near the largest double.
    const auto n = static_cast<double>(count);
    if (typical == 0) {
      for (const double l : counted) typical += l / n;
    }
    if (typical == 0) return following_value();
    slow_ = fast_ = typical;
    rounds_ = 1;
    return following_value();
  }
  const double c = following_value();
  if (typical == 0) return c;  // perhaps a night without sun: it says nothing about the day
  ++rounds_;
  typical = std::min(typical, c);
  const auto n = static_cast<double>(rounds_);
  slow_ += (typical - slow_) / std::min(n, kLongMemory);
  fast_ += (typical - fast_) / std::min(n, kShortMemory);
  return c;
}

void LossScale::save(StateWriter& out) const {
  out.u64(static_cast<std::uint64_t>(kind_));
  out.u64(static_cast<std::uint64_t>(bound_));
  out.f64(fixed_);
  out.f64(slow_);
  out.f64(fast_);
  out.u64(rounds_);
}

void LossScale::load(StateReader& in) {
  const std::uint64_t kind = in.u64(), bound = in.u64();
  if (kind > static_cast<std::uint64_t>(Kind::kFollowing)) in.fail("its loss scale is of no kind");
  kind_ = static_cast<Kind>(kind);
  if (bound > static_cast<std::uint64_t>(LossBound::kCatoni) ||
      (bound != 0 && kind_ == Kind::kUnit)) {
    in.fail("its losses are bounded in no known way");
  }
  bound_ = static_cast<LossBound>(bound);
  fixed_ = in.f64_within(0, kMost, "the loss scale");
  if (kind_ == Kind::kFixed && !(fixed_ >= kLeast)) in.fail("its loss scale is too small");
  slow_ = in.f64_within(0, kMost, "the typical loss");
  fast_ = in.f64_within(0, kMost, "the recent loss");
  rounds_ = in.u64();
  if (rounds_ >= std::uint64_t{1} << 62) in.fail("a count of rounds in it is out of range");
}

}  // namespace pcgs
