#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "reference/methods.h"
#include "support/expect.h"

namespace pcgs {
namespace {

TEST(MlPoly, MatchesReference) {
  test::compare(
      {.spec = "ml-poly{gradient=0}", .reference = test::reference_of<reference::MlPoly>()});
}

TEST(MlPoly, GivesNothingToExpertsWithoutRegret) {
  Aggregator aggregator = make_aggregator("ml-poly", 3);
  aggregator.learn(std::vector<double>{0, 1, 1});
  EXPECT_TRUE(test::all_near(aggregator.weights(), std::vector<double>{1, 0, 0}, 1e-15));
}

TEST(MlPoly, IsUniformWhenNobodyHasRegret) {
  Aggregator aggregator = make_aggregator("ml-poly", 2);
  aggregator.learn(std::vector<double>{0, 1});  // regrets 0.5 and -0.5: everything on the first
  aggregator.learn(std::vector<double>{1, 1});
  ASSERT_TRUE(test::all_near(aggregator.weights(), std::vector<double>{1, 0}, 1e-15));
  // A combined forecast better than every expert leaves regret to nobody.
  aggregator = make_aggregator("ml-poly", 2);
  aggregator.predict(std::vector<double>{0, 1});
  aggregator.learn(0.5);
  EXPECT_TRUE(test::all_near(aggregator.weights(), std::vector<double>{0.5, 0.5}, 1e-15));
}

}  // namespace
}  // namespace pcgs
