#include "pcgs/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/invariant.h"
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

}  // namespace pcgs
