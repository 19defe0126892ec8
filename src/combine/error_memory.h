// The errors of somebody's forecasts, by the number of their round, as far back as two seasons.
// Outcomes come late and in any order: what has not come is unknown.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "combine/derived.h"

namespace pcgs::blend {

class ErrorMemory {
 public:
  explicit ErrorMemory(const Setting& setting);

  // Two without a season, five with one.
  static std::size_t features(const Setting& setting) { return setting.seasons.empty() ? 2 : 5; }

  void put(std::int64_t number, double error);
  // What is known of them when this round is forecast: the latest and the one before; with a season
  // also the latest of the same phase, the one before that, and the latest of the same phase of the
  // longest season (or two seasons ago). An error that is not known is 0.
  void recall(std::int64_t number, std::span<double> out) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double error_of(std::int64_t number) const;
  std::int64_t latest_of_phase(std::int64_t number, std::size_t season) const;

  std::vector<std::size_t> seasons_;  // none, or the shortest and the longest
  std::vector<std::int64_t> number_;  // [reach] of whom the error is; 0: nobody's
  std::vector<double> error_;         // [reach]
  std::int64_t latest_ = 0;           // the highest number with an error
};

}  // namespace pcgs::blend
