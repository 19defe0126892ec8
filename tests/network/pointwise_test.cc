#include "network/pointwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace pcgs::infer {
namespace {

double exact_gelu(double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }

TEST(Gelu, IsExactToAMillionth) {
  AlignedFloats x;
  for (int i = -160000; i < 160000; ++i) x.push_back(static_cast<float>(i) / 16000);
  AlignedFloats y = x;
  gelu(y.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(y[i], exact_gelu(static_cast<double>(x[i])), 1e-6) << x[i];
  }
}

TEST(Gelu, IsZeroOrTheArgumentFarOut) {
  constexpr float kMost = std::numeric_limits<float>::max();
  AlignedFloats x = {-kMost, -1e20f, -100, -5.31f, 0, 5.31f, 100, kMost, 0, 0, 0, 0, 0, 0, 0, 0};
  const AlignedFloats expected = {0, 0, 0, 0, 0, 5.31f, 100, kMost, 0, 0, 0, 0, 0, 0, 0, 0};
  gelu(x.data(), x.size());
  EXPECT_EQ(x, expected);
}

TEST(Normalise, KeepsItsPrecisionFarFromZero) {
  constexpr std::size_t kRows = 5;
  AlignedFloats x(kRows * kPanel);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t lane = 0; lane < kPanel; ++lane) {
      x[r * kPanel + lane] = 65536 * static_cast<float>(lane) + static_cast<float>(r);
    }
  }
  const std::vector<float> ones(kRows, 1), zeros(kRows, 0);
  normalise(x.data(), 1, ones, zeros, x.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = (static_cast<double>(i / kPanel) - 2) / std::sqrt(2 + 1e-5);
    EXPECT_NEAR(x[i], expected, 1e-6) << i;
  }
}

TEST(Pool, LeavesOutTheLanesBehindTheLastToken) {
  for (std::size_t count = 1; count <= 40; ++count) {
    AlignedFloats x(panels_of(count) * kPanel, 1e30f);
    for (std::size_t i = 0; i < count; ++i) x[i] = -static_cast<float>(i) - 1;
    float mean = 0, largest = 0;
    pool(x.data(), count, 1, &mean, &largest);
    EXPECT_NEAR(mean, -(static_cast<double>(count) + 1) / 2, 1e-5);
    EXPECT_EQ(largest, -1);
  }
}

}  // namespace
}  // namespace pcgs::infer
