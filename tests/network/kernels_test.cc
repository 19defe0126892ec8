// Vector arithmetic of the tokens beside plain loops in double, at lengths and places that no
// register likes. And what the forward pass is made of: a pass allocates nothing, and the memory it was
// given grows with K and not with K^2.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "network/forward_kernels.h"
#include "network/network.h"
#include "network/random_model.h"
#include "network/tokens.h"
#include "support/allocations.h"
#include "support/random.h"

namespace pcgs::tokens {
namespace {

using test::Random;

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
constexpr float kGuard = -12345;  // stands behind the last number and must stay

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> out;
  for (std::size_t n = 1; n <= 40; ++n) out.push_back(n);
  out.push_back(100);
  out.push_back(4097);
  return out;
}

// [1 + n + 1] a number that is out of the way, n of these, a guard.
std::vector<float> placed(const std::vector<float>& x) {
  std::vector<float> out = {kGuard};
  out.insert(out.end(), x.begin(), x.end());
  out.push_back(kGuard);
  return out;
}

void expect_guarded(const std::vector<float>& x) {
  EXPECT_EQ(x.front(), kGuard);
  EXPECT_EQ(x.back(), kGuard);
}

struct FilterInput {
  std::vector<float> weights, charge;  // [n]
};

// Charges up to `most`, one of them 0; weights as a filter of this rho has them.
FilterInput filter_input(std::size_t n, float rho, double most, Random& random) {
  FilterInput in;
  const std::vector<double> simplex = random.simplex(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double least = static_cast<double>(rho) / static_cast<double>(n);
    in.weights.push_back(
        static_cast<float>((1 - static_cast<double>(rho)) * simplex[k] + least * 1.0001));
    in.charge.push_back(static_cast<float>(random.uniform(0, most)));
  }
  in.charge[random.below(n)] = 0;
  return in;
}

// Z is a sum of n positive numbers, each good to a few epsilon, so that it is good to n of them;
// everything else is a handful of roundings.
TEST(FilterStep, MatchesAPlainLoop) {
  Random random(1);
  for (const std::size_t n : lengths()) {
    for (const float rho : {3e-4f, 5e-2f}) {
      for (const double most : {1e-6, 2.0, 40.0, 1e4}) {
        const auto [weights, charge] = filter_input(n, rho, most, random);
        std::vector<double> expected(n);
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) {
          total += expected[k] =
              static_cast<double>(weights[k]) * std::exp(-static_cast<double>(charge[k]));
        }
        std::vector<float> out = placed(weights);
        filter_step(out.data() + 1, placed(charge).data() + 1, n, rho);
        expect_guarded(out);
        for (std::size_t k = 0; k < n; ++k) {
          const double r = rho;
          const double w = (1 - r) * expected[k] / total + r / static_cast<double>(n);
          ASSERT_NEAR(out[1 + k], w, w * static_cast<double>(n + 8) * kEpsilon)
              << n << " experts, " << k << ", charges up to " << most;
        }
      }
    }
  }
}

// However often and however hard one expert is charged.
TEST(FilterStep, KeepsEveryWeightAtItsFloorForEver) {
  for (const std::size_t n : {1u, 2u, 5u, 16u, 33u}) {
    const float rho = 3e-4f;
    std::vector<float> weights(n, 1 / static_cast<float>(n));
    std::vector<float> charge(n, std::numeric_limits<float>::max());
    charge[n / 2] = 0;
    for (int t = 0; t < 200; ++t) filter_step(weights.data(), charge.data(), n, rho);
    double total = 0;
    for (std::size_t k = 0; k < n; ++k) {
      ASSERT_GE(weights[k], rho / static_cast<float>(n)) << n << " experts, " << k;
      total += static_cast<double>(weights[k]);
    }
    EXPECT_NEAR(total, 1, static_cast<double>(n + 8) * kEpsilon);
  }
}

// One rounding of the product is one epsilon of its logarithm; the logarithm itself is good to a
// few units in its last place.
TEST(ScaledLog, MatchesAPlainLoop) {
  Random random(2);
  for (const std::size_t n : lengths()) {
    for (const float factor : {1.0f, 7.0f, 4096.0f}) {
      std::vector<float> x(n);
      for (float& y : x) y = static_cast<float>(random.log_uniform(1e-8, 4));
      std::vector<float> out(n + 2, kGuard);
      scaled_log(placed(x).data() + 1, n, factor, out.data() + 1);
      expect_guarded(out);
      for (std::size_t k = 0; k < n; ++k) {
        const double expected = std::log(static_cast<double>(factor) * static_cast<double>(x[k]));
        ASSERT_NEAR(out[1 + k], expected, kEpsilon * (1 + 4 * std::abs(expected)))
            << n << ", " << k;
      }
    }
  }
}

TEST(ScaledLog, MayBeDoneInPlace) {
  std::vector<float> x = {0.5f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<float> out(x.size());
  scaled_log(x.data(), x.size(), 3, out.data());
  scaled_log(x.data(), x.size(), 3, x.data());
  EXPECT_EQ(x, out);
}

TEST(SignedLog1p, MatchesAPlainLoop) {
  Random random(3);
  for (const std::size_t n : lengths()) {
    std::vector<float> x(n);
    for (float& y : x) {
      y = static_cast<float>(random.log_uniform(1e-12, 1e12));
      if (random.chance(0.5)) y = -y;
    }
    std::vector<float> out = placed(x);
    signed_log1p(out.data() + 1, n);
    expect_guarded(out);
    for (std::size_t k = 0; k < n; ++k) {
      const double y = x[k];
      const double expected = std::copysign(std::log1p(std::abs(y)), y);
      ASSERT_NEAR(out[1 + k], expected, 4 * kEpsilon * std::abs(expected)) << n << ", " << y;
    }
  }
}

TEST(SignedLog1p, IsOddAndKeepsZeroAndEverythingFinite) {
  constexpr float kMost = std::numeric_limits<float>::max();
  std::vector<float> x = {0.0f, -0.0f, 1.0f, -1.0f, kMost, -kMost, 1e-30f, -1e-30f};
  signed_log1p(x.data(), x.size());
  EXPECT_EQ(x[0], 0);
  for (std::size_t i = 0; i < x.size(); i += 2) EXPECT_EQ(x[i], -x[i + 1]);
  EXPECT_NEAR(x[4], std::log(static_cast<double>(kMost)), 1e-4);
  EXPECT_NEAR(x[6], 1e-30, 1e-36);
}

}  // namespace
}  // namespace pcgs::tokens

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

// ---- Memory of a pass ---------------------------------------------------------------------------

TEST(ForwardMemory, NothingIsAllocatedToRun) {
  for (const AttentionKind kind : test::kAttentionKinds) {
    const Config config = test::typical_config(kind);
    const Network network(test::random_model(config, 1));
    Forward forward(network, 500);
    for (const std::size_t experts : {1u, 32u, 500u}) {
      const std::vector<float> tokens = test::random_tokens(experts, config.features, 1);
      const std::vector<float> shared = test::random_tokens(1, config.common(), 2);
      std::vector<float> logits(experts);
      const std::size_t before = test::allocations.count;
      forward.run(tokens, shared, logits);
      EXPECT_EQ(test::allocations.count - before, 0u) << experts << " experts, " << name_of(kind);
    }
  }
}

TEST(ForwardMemory, GrowsWithTheExpertsAndNotWithTheirSquare) {
  for (const AttentionKind kind : test::kAttentionKinds) {
    const Config config = test::typical_config(kind);
    const Network network(test::random_model(config, 1));
    const std::size_t before = test::allocations.held;
    const Forward forward(network, 4096);
    // x, q, k and v, and what does not depend on K.
    EXPECT_LE(test::allocations.held - before,
              4 * 4096 * config.width * sizeof(float) + (std::size_t{128} << 10))
        << name_of(kind);
  }
}

}  // namespace
}  // namespace pcgs::infer
