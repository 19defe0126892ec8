// An open round of an Aggregator: everything that its outcome will be learned with.
#pragma once

#include <cstdint>
#include <vector>

#include "combine/intervals.h"
#include "pcgs/aggregator.h"

namespace pcgs {

inline constexpr std::int64_t kMostRounds = std::int64_t{1} << 62;  // so that no counter overflows

struct Aggregator::Slot {
  void count_awake();
  // Whether the combined forecast is that of the weights: not where an expert has left since.
  bool says_what_it_published() const;

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
