// The share recursion against two slow implementations: the sum over all paths and logarithms.
#include "pcgs/share.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/paths.h"
#include "reference/shares.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs {
namespace {

using reference::LogShare;
using test::all_near;
using test::Random;
using test::same_bits;

std::vector<double> uniform(std::size_t experts) {
  return std::vector<double>(experts, 1.0 / static_cast<double>(experts));
}

TEST(Share, StartsUniform) {
  const Share share(3);
  EXPECT_EQ(share.experts(), 3u);
  EXPECT_TRUE(same_bits(share.weights(), uniform(3)));
  EXPECT_EQ(share.last().mix_loss, 0);
  EXPECT_EQ(share.last().gap, 0);
}

TEST(Share, MatchesSumOverAllPaths) {
  Random random(1);
  for (std::size_t experts = 1; experts <= 4; ++experts) {
    for (std::size_t length = 1; length <= 6; ++length) {
      for (int repeat = 0; repeat < 8; ++repeat) {
        const std::vector<double> initial =
            repeat % 2 == 0 ? uniform(experts) : random.simplex(experts);
        Share share(experts, initial);
        std::vector<reference::PathRound> rounds;
        for (std::size_t t = 0; t < length; ++t) {
          const double rho = random.chance(0.3) ? 0 : random.uniform();
          rounds.push_back(
              {random.losses(experts), random.log_uniform(0.01, 30), rho, random.simplex(experts)});
          share.step(rounds[t].losses, {rounds[t].eta, rho, rounds[t].q});
          ASSERT_TRUE(all_near(share.weights(), reference::path_sum(initial, rounds), 1e-12))
              << experts << " experts, round " << t + 1 << " of " << length;
        }
      }
    }
  }
}

// Rounding: each of T steps adds a relative error of some K epsilon to a weight, and the exponent
// eta l adds eta epsilon; 300 (40 + 64) 1.1e-16 = 3.4e-12 is the worst case, all of one sign.
TEST(Share, MatchesLogDomainReferenceForEveryNumberOfExpertsUpTo40) {
  for (std::size_t experts = 1; experts <= 40; ++experts) {
    Random random(100 + experts);
    Share share(experts);
    LogShare slow(experts);
    for (int t = 0; t < 300; ++t) {
      const std::vector<double> losses = random.losses(experts);
      const std::vector<double> q = random.simplex(experts);
      const double eta = random.log_uniform(0.05, 64);
      const double rho = random.chance(0.5) ? 0 : random.log_uniform(1e-9, 0.9);
      const bool is_uniform = random.chance(0.3);
      const ShareStep& step =
          share.step(losses, {eta, rho, is_uniform ? std::span<const double>() : q});
      const LogShare::Step expected =
          slow.step(losses, eta, rho, is_uniform ? std::span<const double>() : q);
      ASSERT_TRUE(all_near(share.weights(), slow.weights(), 4e-12)) << experts << " experts, " << t;
      ASSERT_NEAR(step.mix_loss, expected.mix_loss, 4e-12);
      ASSERT_NEAR(step.gap, expected.gap, 4e-12);
      ASSERT_EQ(step.controls.eta, eta);
      ASSERT_EQ(step.controls.rho, rho);
    }
  }
}

TEST(Share, KeepsSmallWeightsToRelativePrecision) {
  Random random(7);
  Share share(11);
  LogShare slow(11);
  for (int t = 0; t < 120; ++t) {  // 120 rounds, eta 3: the smallest weight is near exp(-100)
    const std::vector<double> losses = random.losses(11);
    share.step(losses, {3, 0, {}});
    slow.step(losses, 3, 0);
    const std::vector<double> expected = slow.weights();
    for (std::size_t k = 0; k < 11; ++k) {
      ASSERT_NEAR(share.weights()[k] / expected[k], 1, 1e-11) << "expert " << k << ", round " << t;
    }
  }
}

TEST(Share, ReportsTheControlsAndTheStepItMade) {
  Share share(2);
  const std::vector<double> losses = {0, 1};
  const ShareStep& step = share.step(losses, {2, 0.25, {}});
  const double z = 0.5 + 0.5 * std::exp(-2.0);
  EXPECT_NEAR(step.mix_loss, -std::log(z) / 2, 1e-15);
  EXPECT_NEAR(step.gap, 0.5 + std::log(z) / 2, 1e-15);
  EXPECT_NEAR(share.weights()[0], 0.75 * 0.5 / z + 0.125, 1e-15);
  EXPECT_NEAR(share.weights()[1], 0.75 * 0.5 * std::exp(-2.0) / z + 0.125, 1e-15);
  EXPECT_EQ(&step, &share.last());
}

TEST(Share, GapLiesBetweenZeroAndAnEighthOfEta) {
  Random random(8);
  Share share(5);
  for (int t = 0; t < 20000; ++t) {
    std::vector<double> losses = random.losses(5);
    if (t % 3 == 0) {
      for (double& l : losses) l = random.chance(0.5);
    }
    const double eta = random.log_uniform(1e-6, 1e4);
    const ShareStep& step = share.step(losses, {eta, 0.1, {}});
    ASSERT_GE(step.gap, 0) << "eta " << eta;
    // The difference of two numbers near 1 cannot be known better than their rounding.
    ASSERT_LE(step.gap, eta / 8 + 4e-16) << "eta " << eta;
  }
}

// ln(Z) / eta loses epsilon / eta when computed in the obvious way; no more may be lost.
TEST(Share, MixLossIsAccurateForSmallLearningRates) {
  Random random(9);
  Share share(6);
  LogShare slow(6);
  for (int t = 0; t < 2000; ++t) {
    const std::vector<double> losses = random.losses(6);
    const double eta = random.log_uniform(1e-8, 1);
    const LogShare::Step expected = slow.step(losses, eta, 0.01);
    const ShareStep& step = share.step(losses, {eta, 0.01, {}});
    const double tolerance = 1e-12 + 16 * 2.2e-16 / eta;
    ASSERT_NEAR(step.mix_loss, expected.mix_loss, tolerance) << "eta " << eta;
    ASSERT_NEAR(step.gap, expected.gap, tolerance) << "eta " << eta;
  }
}

TEST(Share, StartsWhereItIsTold) {
  const std::vector<double> initial = {0.5, 0, 0.25, 0.25};
  Share share(4, initial);
  EXPECT_TRUE(same_bits(share.weights(), initial));
  LogShare slow(initial);
  Random random(10);
  for (int t = 0; t < 50; ++t) {
    const std::vector<double> losses = random.losses(4);
    share.step(losses, {2, 0, {}});
    slow.step(losses, 2, 0);
    ASSERT_EQ(share.weights()[1], 0) << "nothing can come from nothing without a restart";
    ASSERT_TRUE(all_near(share.weights(), slow.weights(), 1e-12));
  }
  const std::vector<double> losses = random.losses(4);
  share.step(losses, {2, 0.5, {}});
  EXPECT_NEAR(share.weights()[1], 0.5 / 4, 1e-15) << "a restart gives it rho q";
}

}  // namespace
}  // namespace pcgs
