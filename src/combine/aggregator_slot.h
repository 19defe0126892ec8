// What the files of an Aggregator share: an open round, and how they refuse what they are given.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "combine/intervals.h"
#include "pcgs/aggregator.h"
#include "pcgs/error.h"

namespace pcgs {

template <class... Args>
[[noreturn]] void refuse(ErrorKind kind, const char* field, fmt::format_string<Args...> why,
                         Args&&... args) {
  throw Error(kind, {.field = field}, fmt::format(why, std::forward<Args>(args)...));
}

inline constexpr std::int64_t kMostRounds = std::int64_t{1} << 62;  // so that no counter overflows

// Everything that the outcome of a round will be learned with.
struct Aggregator::Slot {
  void count_awake();
  void renormalise();  // what it plays, which is zero for sleepers

  std::int64_t number = 0;
  bool has_forecasts = false;
  bool all_awake = true;
  std::size_t awake_count = 0;
  std::vector<double> played;       // [K] zero for sleepers
  std::vector<double> forecasts;    // [K] zero for sleepers; used if has_forecasts
  std::vector<std::uint8_t> awake;  // [K]
  std::vector<double> side;
  double combined = 0;              // the combined forecast
  double outcome = 0;               // once it is known; used if has_forecasts
  std::vector<double> kept;         // by the method's combiner, if it has one
  Intervals::Opened expected;       // where there are intervals
  std::vector<Interval> intervals;  // around the combined forecast
  // Filled when the round is closed.
  std::vector<double> losses;  // [K] raw, then scaled
  double forecast_loss = 0;    // raw loss of the combined forecast
};

}  // namespace pcgs
