#include "combine/units.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs::blend {

namespace {

constexpr double kSpan = 500;
constexpr double kWild = 100;
constexpr double kLeastOfSpread = 1e-3;
constexpr double kTiny = 1e-140;  // its square is still a normal number
constexpr double kHuge = 1e140;

}  // namespace

Units::Units(std::size_t experts) : squares_(experts), losses_(experts), count_(experts) {}

bool Units::possible(const Size& size) {
  return size.error >= kTiny && size.error <= kHuge && size.loss >= kTiny * kTiny &&
         size.loss <= kHuge * kHuge;
}

Units::Size Units::size(const TaskLoss& task, double spread) const {
  const bool new_here = best_square_ == 0;
  const double least = new_here ? spread : kLeastOfSpread * spread;
  const double error = std::clamp(std::max(std::sqrt(best_square_), least), kTiny, kHuge);
  if (task.kind() == TaskLoss::Kind::kSquared) return {error, error * error};
  const double least_loss = task.kind() == TaskLoss::Kind::kLog ? 1e-3 : least;
  return {error, std::clamp(std::max(best_loss_, least_loss), kTiny, kHuge)};
}

void Units::observe(const Seen& seen, double outcome) {
  const double floor = seen.unit * seen.unit * kLeastOfSpread;
  const double loss_floor = seen.loss_unit * kLeastOfSpread;
  double square = std::numeric_limits<double>::infinity(), loss = square, most_judged = 0;
  for (std::size_t k = 0; k < squares_.size(); ++k) {
    if (seen.awake[k] != 0) {
      const bool first = count_[k] == 0;
      count_[k] = std::min(count_[k] + 1, kSpan);
      const auto take_in = [&](double& mean, double value, double best, double least) {
        const double most = first ? kHuge : kWild * std::max({mean, best, least});
        mean += (std::min(value, most) - mean) / count_[k];
      };
      const double e = seen.forecasts[k] - outcome;
      take_in(squares_[k], std::min(e * e, kHuge), best_square_, floor);
      take_in(losses_[k], std::min(seen.task(seen.forecasts[k], outcome), kHuge), best_loss_,
              loss_floor);
    }
    most_judged = std::max(most_judged, count_[k]);
  }
  // Who has hardly been judged may have been lucky.
  for (std::size_t k = 0; k < squares_.size(); ++k) {
    if (count_[k] < most_judged / 2) continue;
    square = std::min(square, squares_[k]);
    loss = std::min(loss, losses_[k]);
  }
  best_square_ = square;
  best_loss_ = loss;
}

void Units::save(StateWriter& out) const {
  out.experts(squares_, 0);
  out.experts(losses_, 0);
  out.experts(count_, 0);
  out.f64(best_square_);
  out.f64(best_loss_);
}

void Units::load(StateReader& in) {
  in.f64s(squares_);
  in.f64s(losses_);
  in.f64s(count_);
  best_square_ = in.f64_within(0, kHuge, "the usual error");
  best_loss_ = in.f64_within(0, kHuge, "the usual loss");
  for (std::size_t k = 0; k < count_.size(); ++k) {
    if (!(squares_[k] >= 0 && squares_[k] <= kHuge && losses_[k] >= 0 && losses_[k] <= kHuge &&
          count_[k] >= 0 && count_[k] <= kSpan)) {
      in.fail("the usual error of an expert in it is damaged");
    }
  }
}

}  // namespace pcgs::blend
