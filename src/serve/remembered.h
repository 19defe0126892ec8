// What is remembered of a round, or of a change of experts, by its id.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace pcgs::stream {

using Names = std::vector<std::string>;

struct Answer {
  double forecast = 0;                   // NaN: nobody was awake
  std::vector<double> weights;           // [experts] that it was made with; 0 for sleepers
  std::shared_ptr<const Names> experts;  // of that time
};

struct Remembered {
  enum class Kind : std::uint8_t { kOpen, kLearned, kAbandoned, kExpertChange };
  Kind kind = Kind::kOpen;
  std::uint64_t digest = 0;  // of what was asked
  std::int64_t round = 0;    // its number in the aggregator
  double outcome = 0;        // where it is known
  double forecast = 0;       // that was answered
  // Of the forecasts of an open round, which a late outcome is judged by; NaN where it is not known.
  double mean = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace pcgs::stream
