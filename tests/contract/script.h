// A fixed sequence of everything a user can do to an aggregator: losses, forecasts, sleepers, side
// information, late outcomes in any order, abandoned rounds. The same events can be applied to
// several aggregators, or to one up to some point and to its copy from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pcgs/aggregator.h"

namespace pcgs::test {

struct Event {
  enum class Kind { kLearnLosses, kPredict, kOpen, kCloseLosses, kCloseOutcome, kAbandon };
  Kind kind = Kind::kLearnLosses;
  std::size_t which = 0;            // closing: the how-manieth opening of the script
  std::vector<double> numbers;      // losses or forecasts
  std::vector<std::uint8_t> awake;  // opening
  std::vector<double> side;         // opening
  double outcome = 0;
};

// Forecasts and outcomes lie in [0,1], so that squared losses need no scale.
std::vector<Event> make_script(std::size_t experts, std::size_t events, std::uint64_t seed);

// Applies events; copy it together with the aggregator's state to go on elsewhere.
class Player {
 public:
  // What could be seen of it: combined forecasts, played weights, the sum of losses.
  std::vector<double> apply(Aggregator& aggregator, const Event& event);

 private:
  std::vector<std::int64_t> opened_;  // the number of each opening of the script
};

}  // namespace pcgs::test
