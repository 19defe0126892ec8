#include "run/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "reference/losses.h"
#include "reference/methods.h"
#include "support/expect.h"
#include "support/random.h"

namespace pcgs::stats {
namespace {

// Student's sleep data, extra hours with the second drug. R: mean, sd.
TEST(Summary, MatchesROnStudentsSleepData) {
  const std::vector<double> extra = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  EXPECT_NEAR(summarize(extra).mean, 2.33, 1e-15);
  EXPECT_NEAR(summarize(extra).std, 2.002248735796829, 1e-14);
}

// 0.1 + 0.1 + 0.1 is not 0.3.
TEST(Summary, OfEqualNumbersIsExact) {
  for (std::size_t n = 1; n <= 40; ++n) {
    EXPECT_EQ(summarize(std::vector<double>(n, 0.1)).mean, 0.1) << n;
    EXPECT_EQ(summarize(std::vector<double>(n, 0.1)).std, 0) << n;
  }
}

TEST(Summary, KeepsASmallSpreadAroundALargeMean) {
  const double unit = std::ldexp(1.0, -20);
  const std::vector<double> x = {1e9, 1e9 + unit, 1e9 + 2 * unit};
  EXPECT_EQ(summarize(x).mean, 1e9 + unit);
  EXPECT_EQ(summarize(x).std, unit);
}

TEST(Summary, SurvivesNumbersWhoseSquaresDoNot) {
  for (const double scale : {1e-300, 1e299}) {
    const std::vector<double> x = {1 * scale, 2 * scale, 3 * scale};
    EXPECT_NEAR(summarize(x).mean / scale, 2, 1e-15);
    EXPECT_NEAR(summarize(x).std / scale, 1, 1e-15);
  }
}

std::vector<double> transformed(const std::vector<double>& x, double scale, double shift) {
  std::vector<double> out(x);
  for (double& value : out) value = scale * value + shift;
  return out;
}

// With four numbers few means are possible. Both ends lie well inside a run of equal ones, so that
// enough resamples must give the exact answer.
TEST(Bootstrap, MatchesEnumerationOfAllResamples) {
  const Bootstrap bootstrap(4, 1'000'000, 1);
  const std::vector<std::vector<double>> problems = {
      {1, 4, 9, 30}, {30, 1, 9, 4}, {-1, -4, -9, -30}, {0, 1, 2, 20}};
  for (const std::vector<double>& x : problems) {
    for (const double level : {0.5, 0.8, 0.9, 0.95}) {
      const ConfidenceInterval fast = bootstrap.interval(x, level);
      const reference::BcaInterval slow = reference::bca_by_enumeration(x, level);
      EXPECT_NEAR(fast.low, slow.low, 1e-12) << level << ::testing::PrintToString(x);
      EXPECT_NEAR(fast.high, slow.high, 1e-12) << level << ::testing::PrintToString(x);
    }
  }
}

TEST(Bootstrap, IsTheSameForTheSameSeedOnly) {
  test::Random random(6);
  const std::vector<double> x = random.losses(20);
  const ConfidenceInterval first = Bootstrap(20, kResamples, 7).interval(x);
  const ConfidenceInterval again = Bootstrap(20, kResamples, 7).interval(x);
  const ConfidenceInterval other = Bootstrap(20, kResamples, 8).interval(x);
  EXPECT_TRUE(test::same_bits(first.low, again.low));
  EXPECT_TRUE(test::same_bits(first.high, again.high));
  EXPECT_NE(first.low, other.low);
  EXPECT_NE(first.high, other.high);
}

// The whole numbers have many resamples whose mean is that of the sample; times 0.1 those means
// differ in the last bits.
TEST(Bootstrap, FollowsShiftAndScale) {
  test::Random random(9);
  const Bootstrap bootstrap(10, 2000, 10);
  const std::vector<double> whole = {0, 0, 1, 1, 2, 3, 3, 5, 8, 17};
  for (const std::vector<double>& x : {random.losses(10), whole}) {
    const ConfidenceInterval plain = bootstrap.interval(x);
    for (const double scale : {0.1, 7.3, 1e-200, 1e200}) {
      for (const double shift : {0.0, 0.7 * scale, -1e6 * scale}) {
        const ConfidenceInterval moved = bootstrap.interval(transformed(x, scale, shift));
        EXPECT_NEAR((moved.low - shift) / scale, plain.low, 1e-8) << scale << " " << shift;
        EXPECT_NEAR((moved.high - shift) / scale, plain.high, 1e-8) << scale << " " << shift;
      }
    }
    const ConfidenceInterval negated = bootstrap.interval(transformed(x, -1, 0));
    EXPECT_NEAR(-negated.high, plain.low, 1e-12);
    EXPECT_NEAR(-negated.low, plain.high, 1e-12);
  }
}

TEST(Bootstrap, WidensWithTheLevelAndStaysInsideTheData) {
  const std::vector<double> x = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};  // as skewed as ten numbers can be
  const Bootstrap bootstrap(x.size(), kResamples, 11);
  ConfidenceInterval last = bootstrap.interval(x, 1e-9);
  for (const double level : {0.1, 0.5, 0.9, 0.99, 0.9999, 1 - 1e-9, 1 - 0x1p-53}) {
    const ConfidenceInterval wider = bootstrap.interval(x, level);
    EXPECT_LE(wider.low, last.low) << level;
    EXPECT_GE(wider.high, last.high) << level;
    EXPECT_GE(wider.low, 0) << level;
    EXPECT_LE(wider.high, 1) << level;
    last = wider;
  }
  EXPECT_NEAR(last.low, 0, 1e-15);
  EXPECT_GT(last.high, 0.5);
}

TEST(Bootstrap, OfEqualNumbersIsAPoint) {
  for (const std::size_t n : {1u, 3u, 20u}) {
    const ConfidenceInterval interval = Bootstrap(n, 100, 12).interval(std::vector<double>(n, 0.1));
    EXPECT_EQ(interval.low, 0.1) << n;
    EXPECT_EQ(interval.high, 0.1) << n;
  }
}

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

// In another unit it is the same, and with the two in each other's places its inverse.
TEST(LossRatio, FollowsTheUnitAndTheOrderOfTheTwo) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    auto [a, b] = made_up(20 + 7 * seed, 0.4, 1.15, random);
    const auto one = loss_ratio(a, b), other = loss_ratio(b, a);
    const double unit = random.log_uniform(1e-100, 1e100);
    for (Losses* losses : {&a, &b}) {
      for (double& x : *losses) x *= unit;
    }
    const auto scaled = loss_ratio(a, b);
    ASSERT_TRUE(one && one->interval && other && other->interval && scaled && scaled->interval);
    EXPECT_NEAR(one->ratio * other->ratio, 1, 1e-12);
    EXPECT_NEAR(one->interval->low * other->interval->high, 1, 1e-11);
    EXPECT_NEAR(one->interval->high * other->interval->low, 1, 1e-11);
    EXPECT_NEAR(scaled->ratio / one->ratio, 1, 1e-12);
    EXPECT_NEAR(scaled->interval->low / one->interval->low, 1, 1e-11);
    EXPECT_NEAR(scaled->interval->high / one->interval->high, 1, 1e-11);
    for (const auto& same : {other, scaled}) EXPECT_NEAR(*same->p, *one->p, 1e-11);
  }
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
