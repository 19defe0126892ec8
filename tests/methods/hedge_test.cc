#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "reference/shares.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

auto reference_with(double eta) {
  return [eta](std::size_t experts) {
    return std::make_unique<reference::FixedShare>(experts, eta, 0);
  };
}

TEST(Hedge, MatchesReference) {
  test::compare({.spec = "hedge{eta=2}", .reference = reference_with(2)});
  test::compare({.spec = "hedge{eta=0.1}", .reference = reference_with(0.1)});
}

// The exponent eta l carries an error of eta epsilon, and 100 of them add up.
TEST(Hedge, MatchesReferenceForALargeLearningRate) {
  test::compare_with_losses(
      {.spec = "hedge{eta=100}", .reference = reference_with(100), .tolerance = 1e-11});
}

TEST(Hedge, WeighsByTotalLossAlone) {
  Aggregator aggregator = make_aggregator("hedge{eta=1.5}", 3);
  test::Random random(1);
  std::vector<double> total(3, 0);
  for (int t = 0; t < 30; ++t) {
    const std::vector<double> losses = random.losses(3);
    for (std::size_t k = 0; k < 3; ++k) total[k] += losses[k];
    aggregator.learn(losses);
  }
  std::vector<double> expected;
  double sum = 0;
  for (double l : total) sum += expected.emplace_back(std::exp(-1.5 * l));
  for (double& w : expected) w /= sum;
  EXPECT_TRUE(test::all_near(aggregator.weights(), expected, 1e-12));
}

TEST(Hedge, IsOfTheShareForm) {
  const auto method = make_method("hedge", 3);
  ASSERT_NE(method->share(), nullptr);
  EXPECT_EQ(method->share()->experts(), 3u);
}

}  // namespace
}  // namespace pcgs
