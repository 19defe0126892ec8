// The tables that a run on forecasts writes: one row for each row of its file, in the same order, so
// that they can be joined back.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "run/comparison.h"

namespace pcgs::results {

// A series and what came of it. The same methods for all of them.
struct PlayedSeries {
  const std::vector<std::string>* key = nullptr;  // [by]
  const Problem* problem = nullptr;
  const Comparison* comparison = nullptr;
};

// The time, or the round; what tells series apart; the outcome; and the forecast of each method.
std::string forecasts_csv(const std::vector<std::string>& by, std::span<const PlayedSeries> series);
// The same with the forecast of the last method, the combination, and its intervals. Requires that
// every series has them.
std::string intervals_csv(const std::vector<std::string>& by, std::span<const PlayedSeries> series);

}  // namespace pcgs::results
