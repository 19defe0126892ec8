#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "reference/methods.h"
#include "support/expect.h"

namespace pcgs {
namespace {

TEST(AdaHedge, MatchesReference) {
  test::compare({.spec = "adahedge", .reference = test::reference_of<reference::AdaHedge>()});
}

TEST(AdaHedge, FollowsTheLeadersWhileNothingHasBeenLostToMixing) {
  Aggregator aggregator = make_aggregator("adahedge", 3);
  aggregator.learn(std::vector<double>{0.5, 0.5, 0.5});  // no gap: eta stays infinite
  EXPECT_TRUE(test::all_near(aggregator.weights(), std::vector<double>(3, 1.0 / 3), 1e-15));
  aggregator.learn(std::vector<double>{0, 0, 1});
  // Delta = 1/3 now, so eta = 3 ln 3 and exp(-eta) = 3^-3.
  const double w = std::pow(3.0, -3);
  EXPECT_TRUE(test::all_near(aggregator.weights(),
                             std::vector<double>{1 / (2 + w), 1 / (2 + w), w / (2 + w)}, 1e-12));
}

TEST(AdaHedge, TreatsShiftedLossesAlike) {
  Aggregator plain = make_aggregator("adahedge", 3);
  Aggregator shifted = make_aggregator("adahedge", 3);
  for (int t = 0; t < 60; ++t) {
    const double a = (t * 7 % 11) / 32.0;
    const double b = (t * 5 % 13) / 32.0;
    plain.learn(std::vector<double>{a, b, 0.25});
    shifted.learn(std::vector<double>{a + 0.5, b + 0.5, 0.75});
    ASSERT_TRUE(test::all_near(plain.weights(), shifted.weights(), 1e-11)) << "round " << t;
  }
}

}  // namespace
}  // namespace pcgs
