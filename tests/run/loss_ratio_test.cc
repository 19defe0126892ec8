#include "run/loss_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "reference/losses.h"
#include "support/random.h"

namespace pcgs::stats {
namespace {

using test::Random;
using Losses = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Squared errors of two forecasters, whose errors have a part in common and follow
// e[t] = phi e[t-1] + noise. Over many rounds the mean of the first is `ratio` times that of the
// second.
std::pair<Losses, Losses> made_up(std::size_t n, double phi, double ratio, Random& random) {
  const auto noise = [&] {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    return sum - 6;
  };
  std::pair<Losses, Losses> out;
  double common = noise(), first = noise(), second = noise();
  for (int warm = -100; warm < static_cast<int>(n); ++warm) {
    common = phi * common + noise();
    first = phi * first + noise();
    second = phi * second + noise();
    if (warm < 0) continue;
    out.first.push_back(ratio * std::pow(common + first, 2));
    out.second.push_back(std::pow(common + second, 2));
  }
  return out;
}

TEST(LossRatio, AgreesWithItsFormulaTakenLiterally) {
  for (const std::size_t n : {20u, 21u, 50u, 333u, 2000u}) {
    for (const double ratio : {1.0, 0.8, 3.0}) {
      Random random(n);
      const auto [a, b] = made_up(n, 0.5, ratio, random);
      const auto found = loss_ratio(a, b);
      const auto expected = reference::loss_ratio(a, b);
      ASSERT_TRUE(found && found->interval && found->p) << n;
      EXPECT_NEAR(found->ratio, expected.ratio, 1e-12 * expected.ratio) << n;
      EXPECT_NEAR(found->interval->low, expected.low, 1e-9 * expected.low) << n;
      EXPECT_NEAR(found->interval->high, expected.high, 1e-9 * expected.high) << n;
      EXPECT_NEAR(*found->p, expected.p, 1e-9) << n;
    }
  }
}

// Rounds are taken together where there are many; the lowest frequencies hardly notice.
TEST(LossRatio, AgreesWithItsFormulaOnMoreRoundsThanAreLookedAtOneByOne) {
  Random random(4);
  const auto [a, b] = made_up(70000, 0.5, 0.99, random);
  const auto found = loss_ratio(a, b);
  const auto expected = reference::loss_ratio(a, b);
  ASSERT_TRUE(found && found->interval && found->p);
  EXPECT_NEAR(found->ratio, expected.ratio, 1e-12);
  EXPECT_NEAR(found->interval->low, expected.low, 1e-4);
  EXPECT_NEAR(found->interval->high, expected.high, 1e-4);
  EXPECT_NEAR(*found->p, expected.p, 0.01);
}

TEST(LossRatio, DoesNotDependOnTheUnitOfLosses) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    auto [a, b] = made_up(60, 0.5, 1.2, random);
    const auto before = loss_ratio(a, b);
    const double unit = random.log_uniform(1e-100, 1e100);
    for (double& x : a) x *= unit;
    for (double& x : b) x *= unit;
    const auto after = loss_ratio(a, b);
    ASSERT_TRUE(before && after && before->interval && after->interval);
    EXPECT_NEAR(after->ratio / before->ratio, 1, 1e-12);
    EXPECT_NEAR(after->interval->low / before->interval->low, 1, 1e-11);
    EXPECT_NEAR(after->interval->high / before->interval->high, 1, 1e-11);
    EXPECT_NEAR(*after->p, *before->p, 1e-11);
  }
}

TEST(LossRatio, IsInvertedWhenTheTwoChangePlaces) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const auto [a, b] = made_up(20 + 7 * seed, 0.3, 1.1, random);
    const auto one = loss_ratio(a, b), other = loss_ratio(b, a);
    ASSERT_TRUE(one && other && one->interval && other->interval);
    EXPECT_NEAR(one->ratio * other->ratio, 1, 1e-12);
    EXPECT_NEAR(one->interval->low * other->interval->high, 1, 1e-11);
    EXPECT_NEAR(one->interval->high * other->interval->low, 1, 1e-11);
    EXPECT_NEAR(*one->p, *other->p, 1e-11);
  }
}

TEST(LossRatio, TheIntervalLeavesOutOneWherePSaysSo) {
  int sure = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const auto [a, b] = made_up(100, 0.3, seed % 2 == 0 ? 1 : 1.5, random);
    const auto found = loss_ratio(a, b);
    ASSERT_TRUE(found && found->interval);
    const bool outside = found->interval->low > 1 || found->interval->high < 1;
    EXPECT_EQ(outside, *found->p < 0.05) << seed;
    EXPECT_LT(found->interval->low, found->ratio);
    EXPECT_GT(found->interval->high, found->ratio);
    sure += outside ? 1 : 0;
  }
  EXPECT_GT(sure, 20);
  EXPECT_LT(sure, 180);
}

// The truth is 0.9, and losses of neighbouring rounds are alike.
TEST(LossRatio, NinetyFivePerCentOfIntervalsHoldTheTruthForAutocorrelatedLosses) {
  constexpr int kSeeds = 2000;
  int inside = 0, rejected = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    auto [a, b] = made_up(500, 0.7, 0.9, random);
    const auto found = loss_ratio(a, b);
    inside += found->interval->low <= 0.9 && found->interval->high >= 0.9 ? 1 : 0;
    for (double& x : a) x /= 0.9;
    rejected += *loss_ratio(a, b)->p < 0.05 ? 1 : 0;
  }
  EXPECT_GE(inside, 0.90 * kSeeds);
  EXPECT_LE(inside, 0.98 * kSeeds);
  EXPECT_GE(rejected, 0.02 * kSeeds) << "two that are as good";
  EXPECT_LE(rejected, 0.10 * kSeeds) << "two that are as good";
}

TEST(LossRatio, HasNoIntervalForFewRounds) {
  Random random(1);
  const auto [a, b] = made_up(kFewestRounds, 0, 1, random);
  for (std::size_t n = 1; n < kFewestRounds; ++n) {
    const auto found = loss_ratio({a.data(), n}, {b.data(), n});
    ASSERT_TRUE(found) << n;
    EXPECT_FALSE(found->interval || found->p) << n;
  }
  EXPECT_TRUE(loss_ratio(a, b)->interval);
  EXPECT_FALSE(loss_ratio({}, {}));
}

TEST(LossRatio, IsOneWithoutAnIntervalForTwoThatNeverDiffer) {
  Random random(2);
  const Losses a = random.losses(100);
  const auto found = loss_ratio(a, a);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ratio, 1);
  EXPECT_FALSE(found->interval || found->p);
}

TEST(LossRatio, ThereIsNoneToNothingLostAndNoneOfInfinity) {
  const Losses some(50, 0.5), zero(50, 0.0);
  Losses infinite = some;
  infinite[7] = kInfinity;
  EXPECT_FALSE(loss_ratio(some, zero));
  EXPECT_FALSE(loss_ratio(zero, zero));
  EXPECT_FALSE(loss_ratio(infinite, some));
  EXPECT_FALSE(loss_ratio(some, infinite));
  EXPECT_FALSE(loss_ratio(infinite, infinite));
  const auto perfect = loss_ratio(zero, some);
  ASSERT_TRUE(perfect);
  EXPECT_EQ(perfect->ratio, 0);
  EXPECT_FALSE(perfect->interval || perfect->p);
}

// Means of numbers that large or small are no numbers; whatever is answered is one.
TEST(LossRatio, IsFiniteWhateverTheLosses) {
  Random random(3);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    Losses a, b;
    for (int t = 0; t < 30; ++t) {
      for (Losses* x : {&a, &b}) {
        x->push_back(random.chance(0.2) ? 0 : random.log_uniform(1e-320, 1e307));
      }
    }
    const auto found = loss_ratio(a, b);
    if (!found) continue;
    EXPECT_TRUE(std::isfinite(found->ratio) && found->ratio >= 0);
    if (!found->interval) continue;
    EXPECT_LE(found->interval->low, found->ratio * (1 + 1e-12));
    EXPECT_GE(found->interval->high, found->ratio * (1 - 1e-12));
    EXPECT_TRUE(*found->p >= 0 && *found->p <= 1) << *found->p;
  }
}

}  // namespace
}  // namespace pcgs::stats
