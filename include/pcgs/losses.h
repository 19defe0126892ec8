// From forecasts to losses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace pcgs {

// What a forecast f costs when y happens. All are >= 0 and convex in f.
//
//     squared   (f - y)^2
//     absolute  |f - y|
//     pinball   tau (y - f) if y >= f, else (1 - tau)(f - y)         0 < tau < 1
//     log       -ln f if y = 1, -ln(1 - f) if y = 0                  f a probability, y 0 or 1
class TaskLoss {
 public:
  enum class Kind : std::uint8_t { kSquared, kAbsolute, kPinball, kLog };

  TaskLoss() = default;
  // "squared", "absolute", "pinball", "log"; throws Error on another name or a tau outside (0,1).
  explicit TaskLoss(std::string_view name, double tau = 0.5);

  Kind kind() const { return kind_; }
  double tau() const { return tau_; }
  std::string_view name() const;

  // Infinite where a log forecast ruled out what happened and where it is beyond the range of a
  // double; never NaN for numbers that there is no objection to.
  double operator()(double forecast, double outcome) const;
  // The same for many forecasts of one outcome; `losses` has as many entries.
  void each(std::span<const double> forecasts, double outcome, std::span<double> losses) const;
  // A subgradient of it in the forecast, finite: 2 (f - y); the sign of f - y; 1 - tau above y and
  // -tau otherwise; (f - y) / (f (1 - f)).
  double slope(double forecast, double outcome) const;

  // What is wrong with a number, as half a sentence for the user; empty if nothing is.
  std::string_view objection_to_forecast(double forecast) const;
  std::string_view objection_to_outcome(double outcome) const;

 private:
  template <class Use>
  auto with_kind(const Use& use) const;

  Kind kind_ = Kind::kSquared;
  double tau_ = 0.5;
};

}  // namespace pcgs
