#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "reference/methods.h"
#include "support/expect.h"

namespace pcgs {
namespace {

// e R is near sqrt(rounds) and its error epsilon times that; 1e-11 covers the sums over experts.
TEST(Boa, MatchesReference) {
  test::compare(
      {.spec = "boa{gradient=0}",
       .reference = [](std::size_t experts) { return std::make_unique<reference::Boa>(experts); },
       .tolerance = 1e-11});
}

TEST(Boa, AnExpertThatHasSleptFromTheStartKeepsItsShare) {
  Aggregator aggregator = make_aggregator("boa", 4);
  for (int t = 0; t < 30; ++t) {
    const std::int64_t round = aggregator.open(std::vector<std::uint8_t>{1, 1, 1, 0});
    aggregator.learn(round, std::vector<double>{0, 1, 0.25 * (t % 3), 0});
    ASSERT_NEAR(aggregator.weights()[3], 0.25, 1e-15) << "round " << t;
    ASSERT_TRUE(test::on_simplex(aggregator.weights()));
  }
  EXPECT_GT(aggregator.weights()[0], 0.7);
}

}  // namespace
}  // namespace pcgs
