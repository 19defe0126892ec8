#include "reference/learn_alpha.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

// Members with eta = 256 carry exponents up to 256, hence errors of 256 epsilon a round in their
// evidence: 60 * 256 * 1.1e-16 = 2e-12, before the sums over experts.
TEST(LearnAlpha, MatchesReference) {
  test::compare(
      {.spec = "learn-alpha",
       .reference =
           [](std::size_t experts) { return std::make_unique<reference::LearnAlpha>(experts); },
       .rounds = 60,
       .tolerance = 5e-12});
}

TEST(LearnAlpha, MatchesReferenceOnALongRun) {
  Aggregator aggregator = make_aggregator("learn-alpha", 4);
  reference::LearnAlpha slow(4);
  test::ShiftingLosses losses(4, 1, 60);
  for (int t = 0; t < 600; ++t) {
    const std::vector<double> l = losses.next();
    aggregator.learn(l);
    reference::play_losses(slow, l, std::vector<std::uint8_t>(4, 1));
    ASSERT_TRUE(test::all_near(aggregator.weights(), slow.weights(), 1e-11)) << "round " << t;
  }
}

// Losses of exactly 0 and 1 make members of large eta and rho = 0 as sure and as wrong as can be.
TEST(LearnAlpha, MatchesReferenceOnExtremeLosses) {
  Aggregator aggregator = make_aggregator("learn-alpha", 3);
  reference::LearnAlpha slow(3);
  for (int t = 0; t < 120; ++t) {
    std::vector<double> l(3, 1);
    l[static_cast<std::size_t>(t / 40)] = 0;
    aggregator.learn(l);
    reference::play_losses(slow, l, std::vector<std::uint8_t>(3, 1));
    ASSERT_TRUE(test::all_near(aggregator.weights(), slow.weights(), 1e-11)) << "round " << t;
  }
}

}  // namespace
}  // namespace pcgs
