#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "pcgs/trace.h"
#include "reference/shares.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

constexpr auto reference_with = test::reference_of<reference::PastPosteriors, double, double>;

TEST(PastPosteriors, MatchesFullHistory) {
  test::compare({.spec = "past-posteriors{eta=2,rho=0.05}", .reference = reference_with(2, 0.05)});
  test::compare({.spec = "past-posteriors{eta=16,rho=0.2}",
                 .reference = reference_with(16, 0.2),
                 .rounds = 60});
}

// Nearly everything restarts: the posteriors must not be recovered from what is left of them.
TEST(PastPosteriors, MatchesFullHistoryForALargeRho) {
  test::compare_with_losses({.spec = "past-posteriors{eta=2,rho=0.999}",
                             .reference = reference_with(2, 0.999),
                             .rounds = 60});
}

TEST(PastPosteriors, MatchesFullHistoryOnALongRun) {
  test::ShiftingLosses losses(5, 1, 40);
  test::compare_on({.spec = "past-posteriors{eta=4,rho=0.02}",
                    .reference = reference_with(4, 0.02),
                    .rounds = 500},
                   5, [&] { return losses.next(); });
}

TEST(PastPosteriors, FirstRestartIsUniform) {
  Aggregator aggregator = make_aggregator("past-posteriors{eta=2,rho=0.05}", 4);
  Trace trace;
  aggregator.trace(&trace);
  aggregator.learn(std::vector<double>{0, 1, 1, 1});
  EXPECT_TRUE(test::all_near(trace.rows().at(0).q, std::vector<double>(4, 0.25), 1e-15));
}

// What it is for: an expert that was good once is favoured by restarts over one that never was.
TEST(PastPosteriors, RemembersAnExpertThatWasGoodBefore) {
  Aggregator aggregator = make_aggregator("past-posteriors{eta=8,rho=0.05}", 3);
  for (int t = 0; t < 50; ++t) aggregator.learn(std::vector<double>{0, 1, 1});
  for (int t = 0; t < 50; ++t) aggregator.learn(std::vector<double>{1, 0, 1});
  EXPECT_GT(aggregator.weights()[0], 5 * aggregator.weights()[2]);
}

}  // namespace
}  // namespace pcgs
