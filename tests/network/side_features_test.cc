#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "network/transformer.h"

namespace pcgs::tokens {
namespace {

TEST(SideFeatures, AreSignedLogarithms) {
  const std::vector<double> side = {0, 1e-9, -1e-9, 0.5, -0.5, 23, -1e6};
  std::vector<float> out(side.size());
  side_features(side, out);
  for (std::size_t i = 0; i < side.size(); ++i) {
    const double expected = side[i] < 0 ? -std::log1p(-side[i]) : std::log1p(side[i]);
    EXPECT_EQ(out[i], static_cast<float>(expected)) << side[i];
  }
}

TEST(SideFeatures, OfAnyFiniteNumberAreBelow710) {
  constexpr double kMost = std::numeric_limits<double>::max();
  std::vector<float> out(2);
  side_features(std::vector{kMost, -kMost}, out);
  EXPECT_GT(out[0], 700);
  EXPECT_LT(out[0], 710);
  EXPECT_EQ(out[1], -out[0]);
}

}  // namespace
}  // namespace pcgs::tokens
