#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "methods/side_by_side.h"
#include "pcgs/registry.h"
#include "reference/shares.h"
#include "support/expect.h"

namespace pcgs {
namespace {

constexpr auto reference_with = test::reference_of<reference::VariableShare, double, double>;

TEST(VariableShare, MatchesReference) {
  test::compare({.spec = "variable-share{eta=2,rho=0.05}", .reference = reference_with(2, 0.05)});
  test::compare({.spec = "variable-share{eta=8,rho=0.3}", .reference = reference_with(8, 0.3)});
}

TEST(VariableShare, AnExpertWithoutLossGivesNothingAway) {
  Aggregator aggregator = make_aggregator("variable-share{eta=1,rho=0.25}", 3);
  aggregator.learn(std::vector<double>{0, 1, 0});
  const double z = 2 + std::exp(-1.0);
  const double given = 0.25 * std::exp(-1.0) / z;  // expert 1 lost 1: it gives away rho v
  EXPECT_TRUE(test::all_near(
      aggregator.weights(),
      std::vector<double>{1 / z + given / 2, 0.75 * std::exp(-1.0) / z, 1 / z + given / 2}, 1e-15));
}

TEST(VariableShare, IsNotOfTheShareForm) {
  EXPECT_EQ(make_method("variable-share", 3)->share(), nullptr);
}

}  // namespace
}  // namespace pcgs
