#include "pcgs/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/invariant.h"
#include "pcgs/error.h"

namespace pcgs {

namespace {

constexpr std::string_view kTaskNames[] = {"squared", "absolute", "pinball", "log"};

}  // namespace

TaskLoss::TaskLoss(std::string_view name, double tau) : tau_(tau) {
  const auto* found = std::find(std::begin(kTaskNames), std::end(kTaskNames), name);
  if (found == std::end(kTaskNames)) {
    throw Error(fmt::format("'{}' is not a loss; choose squared, absolute, pinball or log", name));
  }
  kind_ = static_cast<Kind>(found - std::begin(kTaskNames));
  if (!(tau > 0 && tau < 1)) {
    throw Error(fmt::format("tau is {}; give a number strictly between 0 and 1", tau));
  }
}

std::string_view TaskLoss::name() const { return kTaskNames[static_cast<std::size_t>(kind_)]; }

double TaskLoss::operator()(double forecast, double outcome) const {
  const double error = forecast - outcome;
  switch (kind_) {
    case Kind::kSquared:
      return error * error;
    case Kind::kAbsolute:
      return std::abs(error);
    case Kind::kPinball:
      return error > 0 ? (1 - tau_) * error : -tau_ * error;
    case Kind::kLog:
      return outcome == 1 ? -std::log(forecast) : -std::log1p(-forecast);
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

Bound Bound::scale(double c) {
  if (!(c > 0 && std::isfinite(c))) {
    throw Error(fmt::format("a loss scale of {} cannot be used; give a positive number", c));
  }
  Bound bound;
  bound.scale_ = c;
  return bound;
}

Bound Bound::automatic(std::size_t warmup, double quantile) {
  if (warmup == 0) throw Error("a warm-up of 0 rounds cannot set a scale; give at least 1");
  if (!(quantile > 0 && quantile <= 1)) {
    throw Error(fmt::format("a quantile of {} cannot be used; give a number in (0, 1]", quantile));
  }
  Bound bound;
  bound.warmup_ = warmup;
  bound.quantile_ = quantile;
  return bound;
}

void Bound::settle(std::span<double> raw) {
  invariant(!is_known(), "an automatic bound is settled once");
  scale_ = 1;
  if (raw.empty()) return;
  // The smallest value with at least the stated share of the losses at or below it.
  const auto rank =
      static_cast<std::size_t>(std::ceil(quantile_ * static_cast<double>(raw.size())));
  const auto at =
      raw.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(rank, 1, raw.size()) - 1);
  std::nth_element(raw.begin(), at, raw.end());
  double c = *at;
  if (!(c > 0)) c = *std::max_element(raw.begin(), raw.end());
  if (c > 0 && std::isfinite(c)) scale_ = c;
}

void Bound::save(StateWriter& out) const {
  out.f64(scale_);
  out.u64(warmup_);
  out.f64(quantile_);
}

void Bound::load(StateReader& in) {
  scale_ = in.f64_within(0, std::numeric_limits<double>::max(), "the loss scale");
  warmup_ = in.u64();
  quantile_ = in.f64_within(0, 1, "the quantile of the loss scale");
}

}  // namespace pcgs
