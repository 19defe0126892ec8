// What the families draw from, beside definitions that are evaluated slowly.
#include "research/laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/gaussian.h"
#include "reference/losses.h"
#include "research/played.h"

namespace pcgs::suite {
namespace {

using test::Segment;
using test::whole_segments;

constexpr double kNormal = std::numeric_limits<double>::infinity();
constexpr double kStandardErrors = 5;

// Narrow and wide, in the middle and at the ends, with and without tails and jumps.
const std::vector<reference::ClippedLoss> kClippedLaws = {
    {0.5, 0.1, kNormal, 0, 0},     {0.3, 0.25, kNormal, 0, 0},   {0.0, 0.03, kNormal, 0, 0},
    {1.0, 0.05, kNormal, 0, 0},    {0.5, 1.0, kNormal, 0, 0},    {0.5, 0.1, 3, 0.03, 0.5},
    {0.3, 0.1, 2, 0.06, 0.5},      {0.5, 0.03, 0.5, 0, 0},       {0.2, 0.3, 5, 0.5, 0.3},
    {0.5, 0.05, kNormal, 1, 0.25}, {0.5, 0.05, kNormal, 1, 1.0}, {0.4, 0.2, 1000, 0.2, 0.1},
};

ClippedLaw product(const reference::ClippedLoss& law) {
  return {law.centre, {law.scale, law.df, law.jump_probability, law.jump}};
}

std::string described(const reference::ClippedLoss& law) {
  return "centre " + std::to_string(law.centre) + ", scale " + std::to_string(law.scale) + ", df " +
         std::to_string(law.df) + ", jumps " + std::to_string(law.jump_probability) + " of " +
         std::to_string(law.jump);
}

TEST(ClippedLaw, LikelihoodMatchesTheMixtureOverJumps) {
  for (const auto& law : kClippedLaws) {
    const ClippedLaw fast = product(law);
    for (const double loss : {1e-9, 0.001, 0.1, 0.25, 0.3, 0.5, 0.62, 0.9, 0.999}) {
      const auto slow = static_cast<double>(reference::likelihood(law, loss));
      EXPECT_NEAR(fast.likelihood(loss), slow, 1e-9 * slow) << described(law) << " at " << loss;
    }
  }
}

TEST(ClippedLaw, AtomsAndTheIntegralOfTheDensityMakeOne) {
  for (const auto& law : kClippedLaws) {
    const ClippedLaw fast = product(law);
    // Simpson's rule over (0,1) on a grid far finer than the narrowest scale; at the ends the
    // density's limit, not the atom.
    constexpr int kIntervals = 4000;
    const double inside = 0x1p-40;
    double sum = fast.likelihood(inside) + fast.likelihood(1 - inside);
    for (int i = 1; i < kIntervals; ++i) {
      sum += (i % 2 == 1 ? 4 : 2) * fast.likelihood(static_cast<double>(i) / kIntervals);
    }
    const double between = sum / (3.0 * kIntervals);
    EXPECT_NEAR(fast.likelihood(0) + between + fast.likelihood(1), 1, 1e-8) << described(law);
  }
}

TEST(ClippedLaw, AtomsKeepTheirDigitsWhereTheyAreTiny) {
  for (const double scale : {0.03, 0.05, 0.08, 0.12, 0.3}) {
    for (const double centre : {0.3, 0.5, 0.7}) {
      const reference::ClippedLoss law = {centre, scale, kNormal, 0, 0};
      const auto at_zero = static_cast<double>(reference::likelihood(law, 0));
      const auto at_one = static_cast<double>(reference::likelihood(law, 1));
      EXPECT_NEAR(product(law).likelihood(0), at_zero, 1e-9 * at_zero) << described(law);
      EXPECT_NEAR(product(law).likelihood(1), at_one, 1e-9 * at_one) << described(law);
    }
  }
}

TEST(ClippedLaw, MeanIsTheIntegralOfTheLossOverItsLaw) {
  for (const auto& law : kClippedLaws) {
    EXPECT_NEAR(product(law).mean(), static_cast<double>(reference::mean(law)), 1e-8)
        << described(law);
  }
}

TEST(ClippedLaw, DrawsHaveTheMeanTheAtomsAndTheQuantilesOfTheLaw) {
  constexpr int kDraws = 200'000;
  constexpr double kPoints[] = {0.1, 0.25, 0.4, 0.5, 0.6, 0.8};
  for (const auto& law : kClippedLaws) {
    SCOPED_TRACE(described(law));
    const ClippedLaw fast = product(law);
    Random random("clipped law", 11);
    double sum = 0;
    int zeros = 0, ones = 0;
    int below[std::size(kPoints)] = {};
    for (int i = 0; i < kDraws; ++i) {
      const double loss = std::clamp(fast.draw_unclipped(random), 0.0, 1.0);
      ASSERT_TRUE(loss >= 0 && loss <= 1) << loss;
      sum += loss;
      zeros += loss == 0;
      ones += loss == 1;
      for (std::size_t j = 0; j < std::size(kPoints); ++j) below[j] += loss <= kPoints[j];
    }
    const auto mean = static_cast<double>(reference::mean(law));
    const auto square =
        static_cast<double>(reference::inner_moment(law, 2) + reference::above(law, 1));
    EXPECT_NEAR(sum / kDraws, mean, kStandardErrors * std::sqrt((square - mean * mean) / kDraws));
    // A share of draws, with a little room for shares that are all but 0 or 1.
    const auto expect_share = [&](int count, long double probability, const char* what) {
      const auto p = static_cast<double>(probability);
      EXPECT_NEAR(static_cast<double>(count) / kDraws, p,
                  kStandardErrors * std::sqrt(p * (1 - p) / kDraws) + 1e-5)
          << what;
    };
    expect_share(zeros, reference::below(law, 0), "at 0");
    expect_share(ones, reference::above(law, 1), "at 1");
    for (std::size_t j = 0; j < std::size(kPoints); ++j) {
      expect_share(below[j], reference::below(law, kPoints[j]), "below a point");
    }
  }
}

// Each outcome must come up as often as its chance says, to a few standard errors.
template <class Outcome>
void expect_shares(const std::map<Outcome, std::size_t>& counts,
                   const std::map<Outcome, double>& chances) {
  double all = 0;
  for (const auto& [outcome, count] : counts) {
    all += static_cast<double>(count);
    EXPECT_TRUE(chances.contains(outcome)) << outcome << " should not happen";
  }
  ASSERT_GT(all, 1000);
  for (const auto& [outcome, chance] : chances) {
    const auto at = counts.find(outcome);
    const double share = at == counts.end() ? 0 : static_cast<double>(at->second) / all;
    EXPECT_NEAR(share, chance, kStandardErrors * std::sqrt(chance * (1 - chance) / all))
        << "outcome " << outcome;
  }
}

std::map<std::size_t, std::size_t> lengths_of(const std::vector<Segment>& segments) {
  std::map<std::size_t, std::size_t> counts;
  for (const Segment& segment : segments) ++counts[segment.length];
  return counts;
}

TEST(Dwell, HazardIsZeroBeforeTheLeastLengthAndConstantAfterwards) {
  const Dwell dwell = Dwell::geometric_after(5, 0.3);
  for (std::size_t age = 1; age < 5; ++age) EXPECT_EQ(dwell.at(age), 0) << age;
  for (const std::size_t age : {5u, 6u, 7u, 100u, 100000u}) EXPECT_EQ(dwell.at(age), 0.3) << age;
}

TEST(Dwell, BetweenMakesEveryLengthEquallyLikely) {
  const Dwell dwell = Dwell::between(3, 8);
  double alive = 1;
  for (std::size_t length = 1; length <= 8; ++length) {
    EXPECT_NEAR(alive * dwell.at(length), length < 3 ? 0 : 1.0 / 6, 1e-15) << length;
    alive *= 1 - dwell.at(length);
  }
  EXPECT_NEAR(alive, 0, 1e-15);
}

TEST(WinnerProcess, SegmentsLastAtLeastSoLongAndThenEndAtTheHazard) {
  for (const auto& [least, hazard] :
       std::vector<std::pair<std::size_t, double>>{{1, 0.2}, {7, 0.35}, {25, 0.04}}) {
    Random random("winner process", 1);
    const auto winners = any_other(6, Dwell::geometric_after(least, hazard)).draw(600'000, random);
    // Lengths from `rare` on are too rare to tell apart, and count as one.
    const std::size_t rare = least + static_cast<std::size_t>(2 / hazard);
    std::map<std::size_t, std::size_t> counts;
    for (const auto& [length, count] : lengths_of(whole_segments(winners))) {
      counts[std::min(length, rare)] += count;
    }
    std::map<std::size_t, double> chances;
    double left = 1;
    for (std::size_t length = least; length < rare; ++length, left *= 1 - hazard) {
      chances[length] = left * hazard;
    }
    chances[rare] = left;
    expect_shares(counts, chances);
  }
}

TEST(WinnerProcess, SegmentsLastBetweenTheLeastAndTheMostWithEveryLengthEquallyLikely) {
  Random random("winner process", 2);
  const auto winners = any_other(6, Dwell::between(4, 9)).draw(300'000, random);
  std::map<std::size_t, double> chances;
  for (std::size_t length = 4; length <= 9; ++length) chances[length] = 1.0 / 6;
  expect_shares(lengths_of(whole_segments(winners)), chances);
}

// Were the first segment met at a random moment of a long history, it would be shorter than others.
TEST(WinnerProcess, TheFirstSegmentIsFreshAndItsWinnerIsAnyMember) {
  Random random("winner process", 3);
  const WinnerProcess process = {Dwell::between(3, 6), {7, 2, 5}, {}};
  std::map<std::size_t, std::size_t> lengths, firsts;
  for (int i = 0; i < 30'000; ++i) {
    const auto segments = whole_segments(process.draw(8, random));
    ASSERT_FALSE(segments.empty());
    ++lengths[segments.front().length];
    ++firsts[segments.front().winner];
  }
  expect_shares(lengths, {{3, 0.25}, {4, 0.25}, {5, 0.25}, {6, 0.25}});
  expect_shares(firsts, {{2, 1.0 / 3}, {5, 1.0 / 3}, {7, 1.0 / 3}});
}

TEST(WinnerProcess, AnyOtherMemberIsAsLikelyToBeNext) {
  Random random("winner process", 4);
  const WinnerProcess process = {Dwell::geometric_after(2, 0.5), {9, 4, 0, 6}, {}};
  const auto segments = whole_segments(process.draw(200'000, random));
  std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> follows;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    ++follows[segments[i - 1].winner][segments[i].winner];
  }
  ASSERT_EQ(follows.size(), 4u);
  for (const auto& [from, counts] : follows) {
    std::map<std::uint32_t, double> chances;
    for (const std::uint32_t to : process.members) {
      if (to != from) chances[to] = 1.0 / 3;
    }
    expect_shares(counts, chances);
  }
}

TEST(WinnerProcess, FollowsTheGivenChancesOfTheNextWinner) {
  Random random("winner process", 5);
  const WinnerProcess process = {
      Dwell::geometric_after(1, 0.8), {3, 1, 8}, {0, 0.7, 0.3, 0.05, 0, 0.95, 1, 0, 0}};
  const auto segments = whole_segments(process.draw(200'000, random));
  std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> follows;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    ++follows[segments[i - 1].winner][segments[i].winner];
  }
  expect_shares(follows[3], {{1, 0.7}, {8, 0.3}});
  expect_shares(follows[1], {{3, 0.05}, {8, 0.95}});
  expect_shares(follows[8], {{3, 1.0}});
}

TEST(WinnerProcess, TheOnlyMemberAlwaysWins) {
  Random random("winner process", 6);
  EXPECT_EQ(any_other(1, Dwell::geometric_after(1, 1)).draw(50, random),
            std::vector<std::uint32_t>(50, 0));
  EXPECT_EQ((WinnerProcess{Dwell::between(2, 3), {4}, {}}.draw(50, random)),
            std::vector<std::uint32_t>(50, 4));
}

TEST(WinnerProcess, TwoMembersTakeTurns) {
  Random random("winner process", 7);
  const auto winners = any_other(2, Dwell::between(1, 1)).draw(100, random);
  for (std::size_t t = 1; t < winners.size(); ++t) ASSERT_EQ(winners[t], 1 - winners[t - 1]);
}

constexpr SmoothLaw kSmoothLaws[] = {{0.12, 20}, {0.08, 120}, {0.5, 2}};

double covariance(const SmoothLaw& law, double lag) {
  return static_cast<double>(reference::matern_three_halves(law.amplitude, law.length, lag));
}

// [paths x rounds]
std::vector<std::vector<double>> draw(const SmoothLaw& law, std::size_t paths, std::size_t rounds) {
  Random random("smooth path", 3);
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < paths; ++i) {
    SmoothPath path(law, random);
    auto& values = all.emplace_back();
    for (std::size_t t = 0; t < rounds; ++t, path.advance(random)) values.push_back(path.value());
  }
  return all;
}

// The mean of x y over many independent paths, x and y jointly normal with mean 0, must be their
// covariance c to a few of its standard errors sqrt((v_x v_y + c^2) / n).
class Product {
 public:
  void add(double x, double y) {
    sum_ += x * y;
    ++count_;
  }
  void expect(double c, double v_x, double v_y, const char* what) const {
    EXPECT_NEAR(sum_ / count_, c, kStandardErrors * std::sqrt((v_x * v_y + c * c) / count_))
        << what;
  }

 private:
  double sum_ = 0;
  double count_ = 0;
};

TEST(SmoothPath, HasTheCovarianceOfItsDefinition) {
  for (const SmoothLaw& law : kSmoothLaws) {
    Product first, last, lag1, lag10, lag50, late1;
    for (const auto& f : draw(law, 20'000, 51)) {
      first.add(f[0], f[0]);
      last.add(f[50], f[50]);
      lag1.add(f[0], f[1]);
      lag10.add(f[0], f[10]);
      lag50.add(f[0], f[50]);
      late1.add(f[49], f[50]);
    }
    const double v = covariance(law, 0);
    EXPECT_DOUBLE_EQ(v, law.amplitude * law.amplitude);
    first.expect(v, v, v, "variance at the start");
    last.expect(v, v, v, "variance fifty rounds later");
    lag1.expect(covariance(law, 1), v, v, "lag 1");
    lag10.expect(covariance(law, 10), v, v, "lag 10");
    lag50.expect(covariance(law, 50), v, v, "lag 50");
    late1.expect(covariance(law, 1), v, v, "lag 1, late");
  }
}

// A rough path with nearly the same covariance would have far larger differences.
TEST(SmoothPath, DifferencesAreAsSmallAsThoseOfAFunctionWithADerivative) {
  for (const SmoothLaw& law : kSmoothLaws) {
    const double k0 = covariance(law, 0), k1 = covariance(law, 1), k2 = covariance(law, 2);
    Product slope, bend;
    for (const auto& f : draw(law, 20'000, 3)) {
      slope.add(f[1] - f[0], f[1] - f[0]);
      bend.add(f[2] - 2 * f[1] + f[0], f[2] - 2 * f[1] + f[0]);
    }
    const double slopes = 2 * (k0 - k1), bends = 6 * k0 - 8 * k1 + 2 * k2;
    slope.expect(slopes, slopes, slopes, "first differences");
    bend.expect(bends, bends, bends, "second differences");
  }
}

TEST(SmoothLaw, OneStepLeavesTheStationaryLawAsItIs) {
  for (const double length : {2.0, 5.0, 20.0, 120.0, 1e4, 1e6}) {
    const SmoothLaw law = {0.3, length};
    const auto [v, w] = law.stationary();
    const auto [a, q] = law.step();
    const double rate = std::sqrt(3.0) / length;
    EXPECT_DOUBLE_EQ(v, 0.09);
    EXPECT_NEAR(w, rate * rate * v, 1e-14 * w);  // minus the covariance's second derivative at 0
    // A P A' + Q = P, each entry beside the product of standard deviations that it is made of.
    EXPECT_NEAR(a[0] * a[0] * v + a[1] * a[1] * w + q[0], v, 1e-15 * v);
    EXPECT_NEAR(a[0] * a[2] * v + a[1] * a[3] * w + q[1], 0, 1e-15 * std::sqrt(v * w));
    EXPECT_NEAR(a[2] * a[2] * v + a[3] * a[3] * w + q[2], w, 1e-15 * w);
  }
}

TEST(SmoothLaw, StepsCarryTheCovarianceFunction) {
  for (const double length : {2.0, 20.0, 200.0}) {
    const SmoothLaw law = {0.3, length};
    const auto a = law.step().a;
    double value = law.stationary()[0], slope = 0;  // E f(0) x_t
    for (int lag = 0; lag <= 60; ++lag) {
      EXPECT_NEAR(value, covariance(law, lag), 1e-14) << length << " at " << lag;
      const double next = a[0] * value + a[1] * slope;
      slope = a[2] * value + a[3] * slope;
      value = next;
    }
  }
}

TEST(SmoothLaw, NoiseOfAStepIsACovariance) {
  for (const double length : {2.0, 20.0, 200.0, 1e4}) {
    const auto q = SmoothLaw{0.3, length}.step().q;
    EXPECT_GT(q[0], 0);
    EXPECT_GT(q[2], 0);
    EXPECT_GE(q[0] * q[2], q[1] * q[1]);
  }
}

}  // namespace
}  // namespace pcgs::suite
