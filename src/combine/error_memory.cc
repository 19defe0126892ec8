#include "combine/error_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcgs::blend {

namespace {

constexpr double kSpan = 500;
constexpr double kLeastOfSpread = 1e-3;
constexpr double kTiny = 1e-140;  // its square is still a normal number
constexpr double kHuge = 1e140;

constexpr std::int64_t kMostRounds = std::int64_t{1} << 62;

std::vector<std::size_t> shortest_and_longest(const std::vector<std::size_t>& seasons) {
  if (seasons.empty()) return {};
  return {seasons.front(), seasons.back()};
}

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
        const double usual = std::max({mean, best, least});
        mean += ((first ? value : capped(value, usual, kOutlierSquare)) - mean) / count_[k];
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

ErrorMemory::ErrorMemory(const Setting& setting)
    : seasons_(shortest_and_longest(setting.seasons)),
      number_(seasons_.empty() ? 64 : 4 * seasons_.back() + 2),
      error_(number_.size()) {}

void ErrorMemory::put(std::int64_t number, double error) {
  const auto at = static_cast<std::size_t>(number) % number_.size();
  if (number < number_[at]) return;  // long gone
  number_[at] = number;
  error_[at] = error;
  if (number > latest_) latest_ = number;
}

double ErrorMemory::error_of(std::int64_t number) const {
  if (number <= 0) return 0;
  const auto at = static_cast<std::size_t>(number) % number_.size();
  return number_[at] == number ? error_[at] : 0;
}

std::int64_t ErrorMemory::latest_of_phase(std::int64_t number, std::size_t season) const {
  const auto step = static_cast<std::int64_t>(season);
  std::int64_t at = number - step;
  if (at > latest_) at -= (at - latest_ + step - 1) / step * step;
  return at;
}

void ErrorMemory::recall(std::int64_t number, std::span<double> out) const {
  const std::int64_t latest = latest_ < number ? latest_ : number - 1;
  out[0] = error_of(latest);
  out[1] = error_of(latest - 1);
  if (seasons_.empty()) return;
  const std::int64_t phase = latest_of_phase(number, seasons_[0]);
  out[2] = error_of(phase);
  out[3] = error_of(phase - 1);
  out[4] = seasons_[0] != seasons_[1] ? error_of(latest_of_phase(number, seasons_[1]))
                                      : error_of(phase - static_cast<std::int64_t>(seasons_[0]));
}

void ErrorMemory::save(StateWriter& out) const {
  out.u64(static_cast<std::uint64_t>(latest_));
  for (const auto number : number_) out.u64(static_cast<std::uint64_t>(number));
  out.f64s(error_);
}

void ErrorMemory::load(StateReader& in) {
  const auto number_in = [&] {
    const auto number = in.u64();
    if (number >= static_cast<std::uint64_t>(kMostRounds)) {
      in.fail("the number of a round in it is out of range");
    }
    return static_cast<std::int64_t>(number);
  };
  latest_ = number_in();
  for (auto& number : number_) number = number_in();
  in.f64s(error_);
  for (const double error : error_) {
    if (!std::isfinite(error)) in.fail("an error in it is not finite");
  }
}

}  // namespace pcgs::blend
