// A fixed sequence of everything a user can do to an aggregator: losses, forecasts, sleepers, side
// information, late outcomes in any order, abandoned rounds. The same events can be applied to
// several aggregators, or to one up to some point and to its copy from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pcgs/registry.h"
#include "support/random.h"

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

// Runs of share methods: check(aggregator, play), where play(after) opens rounds with sleepers and learns their
// losses, every second time up to five late and in any order, and calls after() after each.
template <class Check>
void on_runs_with_sleepers(const Check& check) {
  for (const char* spec : {"hedge", "fixed-share", "genshare{eta=30}", "past-posteriors"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const std::size_t experts = 2 + random.below(5);
      Aggregator aggregator = make_aggregator(spec, experts);
      check(aggregator, [&](const auto& after) {
        std::vector<std::int64_t> open;
        for (int t = 0; t < 120; ++t) {
          open.push_back(aggregator.open(random.awake(experts, 0.6)));
          while (open.size() > (seed % 2 == 0 ? random.below(5) : 0u)) {
            const auto at = open.begin() + static_cast<std::ptrdiff_t>(random.below(open.size()));
            aggregator.learn(*at, random.losses(experts));
            open.erase(at);
            after();
          }
        }
      });
    }
  }
}

}  // namespace pcgs::test
