#include "combine/error_memory.h"

#include <cmath>

namespace pcgs::blend {

namespace {

constexpr std::int64_t kMostRounds = std::int64_t{1} << 62;

std::vector<std::size_t> shortest_and_longest(const std::vector<std::size_t>& seasons) {
  if (seasons.empty()) return {};
  return {seasons.front(), seasons.back()};
}

}  // namespace

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
