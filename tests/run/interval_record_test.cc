#include "run/interval_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "run/made_up.h"
#include "support/random.h"

namespace pcgs::compare {
namespace {

TEST(IntervalScores, CountRoundsWithAnIntervalAndAnOutcome) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    const std::size_t rounds = 1 + random.below(60);
    Problem problem = test::empty_problem(rounds, 1);
    IntervalRecord record(rounds, {0.5, 0.9});
    std::vector<int> judged(2), inside(2);
    std::vector<double> width(2);
    for (std::size_t t = 0; t < rounds; ++t) {
      problem.outcomes[t] = random.chance(0.2) ? test::kAsleep : random.uniform(-1, 1);
      if (random.chance(0.2)) continue;  // nothing was published
      const std::vector<Interval> published = {{0.5, -0.5, random.uniform()},
                                               {0.9, -0.9, random.uniform()}};
      record.put(t, published);
      for (std::size_t i = 0; i < 2; ++i) {
        const double y = problem.outcomes[t];
        if (std::isnan(y)) continue;
        ++judged[i];
        inside[i] += published[i].low <= y && y <= published[i].high ? 1 : 0;
        width[i] += published[i].high - published[i].low;
      }
    }
    const auto scores = interval_scores(problem, record);
    ASSERT_EQ(scores.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(scores[i].level, i == 0 ? 0.5 : 0.9);
      ASSERT_EQ(scores[i].rounds, static_cast<std::size_t>(judged[i]));
      if (judged[i] == 0) {
        EXPECT_TRUE(std::isnan(scores[i].coverage));
        continue;
      }
      EXPECT_NEAR(scores[i].coverage, static_cast<double>(inside[i]) / judged[i], 1e-15);
      EXPECT_NEAR(scores[i].mean_width, width[i] / judged[i], 1e-12);
    }
  }
}

TEST(IntervalScores, AnOutcomeOnTheEdgeIsInside) {
  Problem problem = test::empty_problem(2, 1);
  problem.outcomes = {1, 2};
  IntervalRecord record(2, {0.8});
  record.put(0, std::vector<Interval>{{0.8, 1, 2}});
  record.put(1, std::vector<Interval>{{0.8, 1, 2}});
  EXPECT_EQ(interval_scores(problem, record)[0].coverage, 1);
}

}  // namespace
}  // namespace pcgs::compare
