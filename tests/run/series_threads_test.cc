// Series that are played side by side share nothing but what never changes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/parallel.h"
#include "pcgs/registry.h"
#include "run/comparison.h"
#include "run/made_up.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

struct Played {
  std::vector<double> forecasts, low;
  std::vector<std::uint8_t> state;

  bool operator==(const Played&) const = default;
};

// Half way, saved, loaded, and to the end, as a run that goes on does.
Played play(const Problem& problem, const std::string& method) {
  const IntervalOptions intervals{{0.8}, 0};
  Aggregator first = make_player(problem, method, false, intervals);
  ComparisonOptions options;
  options.methods = {method};
  options.switches = {2};
  options.intervals = intervals;
  play_methods(problem, options, &first);
  Aggregator again = Aggregator::load_bytes(first.save_bytes(), "state", make_method);
  const Comparison comparison = play_methods(problem, options, &again);
  const MethodResult& result = comparison.methods.front();
  return {result.forecasts, result.intervals->low.values, again.save_bytes()};
}

TEST(SeriesThreads, ChangeNoBit) {
  test::Random random(5);
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < 8; ++i) {
    problems.push_back(test::made_up_problem(20 + i, 3, "squared", random));
  }
  for (const std::string method : {"blend", "guard", "boa"}) {
    std::vector<Played> alone;
    for (const Problem& problem : problems) alone.push_back(play(problem, method));
    for (const std::size_t threads : std::vector<std::size_t>{2, 3, 7}) {
      std::vector<Played> together(problems.size());
      parallel_for(problems.size(), threads,
                   [&](std::size_t i) { together[i] = play(problems[i], method); });
      EXPECT_EQ(together, alone) << method << " on " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace pcgs::compare
