// What a limit plays: one expert.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace pcgs::test {

// The expert that has all the weight; a failure if the weights are anything but a point mass.
inline std::size_t played_expert(std::span<const double> weights) {
  const auto one = std::find(weights.begin(), weights.end(), 1.0);
  EXPECT_NE(one, weights.end()) << "nobody has weight 1";
  EXPECT_EQ(std::count(weights.begin(), weights.end(), 0.0),
            static_cast<std::ptrdiff_t>(weights.size()) - 1);
  return static_cast<std::size_t>(one - weights.begin());
}

}  // namespace pcgs::test
