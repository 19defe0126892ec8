#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "reference/shares.h"
#include "support/expect.h"

namespace pcgs {
namespace {

constexpr auto reference_with = test::reference_of<reference::FixedShare, double, double>;

TEST(FixedShare, MatchesReference) {
  test::compare({.spec = "fixed-share{eta=2,rho=0.05}", .reference = reference_with(2, 0.05)});
  test::compare({.spec = "fixed-share{eta=8,rho=0.001}", .reference = reference_with(8, 0.001)});
}

TEST(FixedShare, MatchesReferenceForALargeLearningRate) {
  test::compare_with_losses({.spec = "fixed-share{eta=256,rho=0.1}",
                             .reference = reference_with(256, 0.1),
                             .tolerance = 1e-11});
}

TEST(FixedShare, NeverPutsAnExpertBelowItsRestartShare) {
  Aggregator aggregator = make_aggregator("fixed-share{eta=100,rho=0.02}", 4);
  for (int t = 0; t < 200; ++t) aggregator.learn(std::vector<double>{0, 1, 1, 1});
  for (double w : aggregator.weights()) EXPECT_GE(w, 0.02 / 4 * (1 - 1e-12));
  EXPECT_NEAR(aggregator.weights()[0], 0.98 + 0.02 / 4, 1e-12);
}

}  // namespace
}  // namespace pcgs
