// From forecasts to losses, and from losses to bounded losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pcgs/state.h"

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

  // Infinite where a log forecast ruled out what happened.
  double operator()(double forecast, double outcome) const;

  // What is wrong with a number, as half a sentence for the user; empty if nothing is.
  std::string_view objection_to_forecast(double forecast) const;
  std::string_view objection_to_outcome(double outcome) const;

 private:
  Kind kind_ = Kind::kSquared;
  double tau_ = 0.5;
};

// The warm-up of an automatic scale (below) where nobody says otherwise: short, because until it
// ends all weights stay as they began.
inline constexpr std::size_t kUsualWarmup = 30;

// How raw losses become losses in [0,1].
//
//     unit       they are already; anything outside is an error
//     scale C    min(l / C, 1)
//     automatic  scale C with C a quantile of the losses of the first `warmup` rounds; until C is
//                known a learner plays its first weights, and it learns those rounds when C is
//                fixed, in the order of arrival: as if their outcomes had come late
class Bound {
 public:
  static Bound unit() { return Bound(); }
  static Bound scale(double c);
  static Bound automatic(std::size_t warmup, double quantile = 0.95);

  bool is_unit() const { return scale_ == 0 && warmup_ == 0; }
  bool is_known() const { return warmup_ == 0 || scale_ > 0; }
  std::size_t warmup() const { return warmup_; }
  // C; 1 for unit, 0 while automatic and not yet known.
  double scale() const { return is_unit() ? 1 : scale_; }

  // Requires is_known(). The loss in [0,1]; a unit bound passes it through unchecked.
  double operator()(double raw) const {
    const double l = is_unit() ? raw : raw / scale_;
    return !is_unit() && l > 1 ? 1 : l;
  }
  // Ends the warm-up: fixes C as the quantile of these raw losses (reordered in place); the largest
  // loss if the quantile is 0, and 1 if they are all 0.
  void settle(std::span<double> raw);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double scale_ = 0;        // 0: unit, or automatic and unknown
  std::size_t warmup_ = 0;  // > 0: automatic
  double quantile_ = 0.95;
};

}  // namespace pcgs
